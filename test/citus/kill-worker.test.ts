import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openClient } from '../../bench/kill/client.ts';
import { checkServer } from '../../bench/kill/consistency.ts';
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
import { loadedTenants } from './loaded-tenants.ts';
import { killWorker, urlOf } from './worker-process.ts';

after(cleanUp);

test('while a worker is down, its tenants get 503, all others are served, and no acknowledged write is lost', async (context) => {
  const database = await emptyServerDatabase(process.env.TEST_DATABASE_URL ?? '');
  context.after(database.drop);
  const service = await startProcess({
    DATA_DIR: await temporaryFolder(),
    BOOTSTRAP_KEY: bootstrapKey,
    DATABASE_URL: database.url,
    LOG_LEVEL: 'error',
    RATE_LIMIT: '0',
  });
  const tenants = await loadedTenants(context, service.baseUrl, database.url);
  for (const [victim, other] of [tenants, tenants.toReversed() as typeof tenants]) {
    for (const tenant of tenants) await tenant.progress();
    const before = { refused: victim.seen.unavailable, others: other.seen.unavailable };
    const restart = await killWorker(urlOf(database.url, victim.worker));
    try {
      await until(`${victim.id} gets 503`, () => victim.seen.unavailable > before.refused + 8, 120);
      await other.progress();
      await other.progress();
      assert.equal(other.seen.unavailable, before.others, `${other.id} got 503`);
    } finally {
      await restart();
    }
    await victim.progress();
    await until('the service is ready', () => ready(openClient(1), service.baseUrl));
  }
  for (const { seen, end, check, id, acknowledged } of tenants) {
    assert.deepEqual(await end(), [], id);
    assert.deepEqual(seen.wrong, [], id);
    assert.deepEqual(await check(), { lost: [], torn: [] }, id);
    console.log(
      `${id}: ${seen.answers} responses, ${seen.unavailable} of them 503, ${JSON.stringify(acknowledged)}`,
    );
  }
  assert.deepEqual(await checkServer(database.url), []);
  assert.deepEqual(await stopProcess(service), { code: 0, signal: null });
});
