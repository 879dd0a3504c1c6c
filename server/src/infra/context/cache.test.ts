import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startService } from '../../../test/support/service.ts';
import { transaction } from '../../db/transaction.ts';
import { createCache } from './cache.ts';

const service = await startService();
after(service.close);
const { ctx } = service;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapMegabytes(): number {
  collect();
  return process.memoryUsage().heapUsed / 1024 ** 2;
}

test("in a transaction, a value is loaded without waiting for another caller's load", async () => {
  const others = Promise.withResolvers<string>();
  let loads = 0;
  const cache = createCache<string>({
    name: 'test_transaction',
    milliseconds: 60_000,
    max: 10,
    load: async (_, key) => (loads++ === 0 ? others.promise : `${key} ${loads}`),
  });
  const waiting = cache.get(ctx, 'a');
  const inside = () => transaction(ctx, (ctx) => cache.get(ctx, 'a'));
  assert.equal(await inside(), 'a 2');
  others.resolve('a');
  assert.equal(await waiting, 'a');
  assert.deepEqual([await inside(), await cache.get(ctx, 'a')], ['a 2', 'a 2'], 'once loaded, it is shared');
});

test('a cache releases expired entries, and its keys do not keep whole URLs in memory', async () => {
  const cache = createCache<string>({
    name: 'test_memory',
    milliseconds: 200,
    max: 20_000,
    load: async () => 'x'.repeat(10),
  });
  const before = heapMegabytes();
  for (let n = 0; n < 2_000; n++) {
    const url = Buffer.from(`/play/${n}-${'t'.repeat(100)}/content/${'a'.repeat(15_000)}`).toString();
    await cache.get(ctx, url.slice(6, 100));
  }
  const kept = heapMegabytes() - before;
  assert.ok(kept < 10, `the cache keeps ${kept} MB`);

  const large = createCache<{ bytes: string }>({
    name: 'test_expired',
    milliseconds: 50,
    max: 20_000,
    load: async (_, key) => ({ bytes: Buffer.alloc(10_000, key).toString() }),
  });
  for (let n = 0; n < 2_000; n++) await large.get(ctx, `${n}`);
  await pause(60);
  await large.get(ctx, 'last');
  const left = heapMegabytes() - before;
  assert.ok(left < 10, `${left} MB are left after the entries expired`);
});
