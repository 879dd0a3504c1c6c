import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { startService } from '../../../test/support/service.ts';
import { Problem } from '../errors.ts';
import { checkCredentials } from './credentials.ts';

const service = await startService();
after(service.close);

const unknown = new Problem('unauthorized', 'This key does not exist.');
const requestFrom = (address: string) => ({ address }) as FastifyRequest;

/**
 * Sends one key in this many simultaneous requests from each address. Returns the statuses and the number of look-ups.
 */
async function presentTogether(
  presented: string,
  from: Record<string, number>,
  answer: () => Promise<string>,
) {
  let lookUps = 0;
  const lookUp = async () => {
    lookUps++;
    await new Promise(setImmediate);
    return answer();
  };
  const calls = Object.entries(from).flatMap(([ip, count]) =>
    Array.from({ length: count }, () =>
      checkCredentials(service.ctx, requestFrom(ip), { presented, lookUp }),
    ),
  );
  const settled = await Promise.allSettled(calls);
  const statuses = settled.map((one) => {
    if (one.status === 'fulfilled') return 200;
    assert.ok(one.reason instanceof Problem);
    return one.reason.status;
  });
  return { lookUps, count: (status: number) => statuses.filter((one) => one === status).length };
}

test('one wrong key in thousands of simultaneous requests is looked up once per network', async () => {
  const { lookUps, count } = await presentTogether('wrong', { '192.0.2.1': 5_000, '192.0.2.2': 400 }, () =>
    Promise.reject(unknown),
  );
  assert.equal(lookUps, 2);
  assert.equal(count(401), 600);
  assert.equal(count(429), 4_800);
});

test('credentials that are valid but may not be used are limited like wrong ones', async () => {
  const partial = new Problem('passkey_required', 'Use your passkey first.');
  const settled = await Promise.allSettled(
    Array.from({ length: 700 }, () =>
      checkCredentials(service.ctx, requestFrom('192.0.2.9'), {
        presented: 'partial',
        lookUp: () => Promise.reject(partial),
      }),
    ),
  );
  const limited = settled.filter((one) => one.status === 'rejected' && one.reason.status === 429);
  assert.ok(limited.length >= 300, `${limited.length}`);
});

test("requests with the same key from another network neither delay nor block the owner's first requests", async () => {
  let responses = 0;
  const { count } = await presentTogether('right', { '192.0.2.3': 300, '192.0.2.4': 300 }, () =>
    ++responses === 1 ? Promise.reject(unknown) : Promise.resolve('found'),
  );
  assert.equal(count(401), 300);
  assert.equal(count(200), 300);
});

test('if a look-up fails, all requests waiting for it fail in the same way, and none counts as a guess', async () => {
  const failed = new Problem('unavailable', 'The database does not respond.', { retryAfter: 1 });
  const from = { '192.0.2.5': 900 };
  const { lookUps, count } = await presentTogether('later', from, () => Promise.reject(failed));
  assert.equal(lookUps, 1);
  assert.equal(count(503), 900);
  assert.equal((await presentTogether('later', from, () => Promise.resolve('found'))).count(200), 900);
});
