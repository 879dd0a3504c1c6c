import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openClient } from '../../bench/kill/client.ts';
import { ready } from '../../bench/kill/rounds.ts';
import {
  bootstrapKey,
  cleanUp,
  startProcess,
  stopProcess,
  temporaryFolder,
} from '../../server/test/support/process.ts';
import { emptyServerDatabase } from '../../server/test/support/server-database.ts';
import { until } from '../../server/test/support/until.ts';
import { startReceiver } from '../../server/test/support/webhooks.ts';
import { type LoadedTenant, loadedTenants } from './loaded-tenants.ts';
import { hangWorker, killWorker, urlOf } from './worker-process.ts';

after(cleanUp);

const seconds = Number(process.env.TEST_LOAD_SECONDS ?? 20);

/** The 99th percentile of the response times in the next seconds. */
async function measure({ seen }: LoadedTenant): Promise<number> {
  seen.milliseconds.length = 0;
  await delay(seconds * 1_000);
  const sorted = seen.milliseconds.toSorted((a, b) => a - b);
  assert.ok(sorted.length > 20, `${sorted.length} responses in ${seconds} s`);
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
}

const faults = {
  hangs: async (url: string) => {
    const resume = await hangWorker(url);
    return async () => resume();
  },
  'is killed': killWorker,
};

for (const [what, fail] of Object.entries(faults))
  test(`while a worker ${what}, tenants of the other are served, their webhooks leave, and a node starts`, async (context) => {
    const database = await emptyServerDatabase(process.env.TEST_DATABASE_URL ?? '');
    context.after(database.drop);
    const env = {
      DATA_DIR: await temporaryFolder(),
      BOOTSTRAP_KEY: bootstrapKey,
      DATABASE_URL: database.url,
      LOG_LEVEL: 'error',
      RATE_LIMIT: '0',
      WEBHOOK_ALLOW: '127.0.0.1',
    };
    const service = await startProcess(env);
    const [victim, other] = await loadedTenants(context, service.baseUrl, database.url);
    const receiver = await startReceiver();
    context.after(receiver.kill);
    const client = openClient(2);
    context.after(client.close);
    const created = await client.call('POST', `${service.baseUrl}/webhook`, { URL: receiver.url }, other.key);
    assert.equal(created.status, 201, JSON.stringify(created.body));
    for (const tenant of [victim, other]) await tenant.progress();
    const usual = await measure(other);
    const before = { received: 0, refused: other.seen.unavailable };
    const restore = await fail(urlOf(database.url, victim.worker));
    try {
      const during = await measure(other);
      console.log(
        `99th percentile: usually ${Math.round(usual)} ms, while a worker ${what} ${Math.round(during)} ms`,
      );
      assert.equal(other.seen.unavailable, before.refused, 'no 503');
      assert.ok(during < 2 * usual, `${during} ms instead of ${usual} ms`);
      before.received = receiver.received.length;
      await until('webhooks leave', () => receiver.received.length > before.received, 20);
      const { baseUrl: BASE_URL, contentUrl: CONTENT_URL } = service;
      const second = await startProcess({ ...env, BASE_URL, CONTENT_URL });
      await until('the second node is ready', () => ready(client, second.baseUrl), 20);
      const users = await client.call('GET', `${second.baseUrl}/user?Limit=1`, undefined, other.key);
      assert.equal(users.status, 200, JSON.stringify(users.body));
      assert.equal(await ready(client, service.baseUrl), true);
      second.child.kill('SIGKILL');
    } finally {
      await restore();
    }
    await victim.progress();
    for (const tenant of [victim, other]) {
      assert.deepEqual(await tenant.end(), [], tenant.id);
      assert.deepEqual(tenant.seen.wrong, [], tenant.id);
      assert.deepEqual(await tenant.check(), { lost: [], torn: [] }, tenant.id);
    }
    assert.deepEqual(await stopProcess(service), { code: 0, signal: null });
  });
