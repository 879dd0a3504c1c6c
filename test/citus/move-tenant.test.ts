import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { checkServer } from '../../bench/kill/consistency.ts';
import {
  bootstrapKey,
  cleanUp,
  startProcess,
  stopProcess,
  temporaryFolder,
} from '../../server/test/support/process.ts';
import { emptyServerDatabase } from '../../server/test/support/server-database.ts';
import { loadedTenants, tenantsOnTwoWorkers } from './loaded-tenants.ts';
import { ask, workerOf } from './worker-process.ts';

after(cleanUp);

/** Gives the tenant shards of its own. Requests can fail meanwhile, so this is done before the load begins. */
const isolate = `select isolate_tenant_to_new_shard('"user"', $1::text, 'CASCADE', shard_transfer_mode => 'block_writes')`;
/** Moves the tenant's shards from one worker to another. */
const move = `select citus_move_shard_placement(get_shard_id_for_distribution_column('"user"', $1::text),
  $2, $3, $4, $5, 'force_logical')`;

test('a tenant with shards of its own moves to another worker under load, without a failed request', async (context) => {
  const database = await emptyServerDatabase(process.env.TEST_DATABASE_URL ?? '');
  context.after(database.drop);
  const service = await startProcess({
    DATA_DIR: await temporaryFolder(),
    BOOTSTRAP_KEY: bootstrapKey,
    DATABASE_URL: database.url,
    LOG_LEVEL: 'error',
    RATE_LIMIT: '0',
  });
  const [id = ''] = (await tenantsOnTwoWorkers(database.url)).keys();
  await ask(database.url, isolate, [id]);
  const [moved, other] = await loadedTenants(context, service.baseUrl, database.url);
  assert.equal(moved.id, id);
  const tenants = [moved, other];
  const [from, to] = [moved.worker, other.worker];
  for (const tenant of tenants) await tenant.progress();
  const begun = performance.now();
  await ask(database.url, move, [id, from.host, from.port, to.host, to.port]);
  console.log(`moved in ${Math.round(performance.now() - begun)} ms`);
  assert.deepEqual(await workerOf(database.url, id), to);
  for (const tenant of tenants) await tenant.progress();
  for (const { seen, end, check, id, acknowledged } of tenants) {
    assert.deepEqual(await end(), [], id);
    console.log(
      `${id}: ${seen.answers} responses, ${seen.unavailable} of them 503, ${JSON.stringify(acknowledged)}`,
    );
    assert.deepEqual([seen.unavailable, seen.wrong], [0, []], id);
    assert.deepEqual(await check(), { lost: [], torn: [] }, id);
  }
  assert.deepEqual(await checkServer(database.url), []);
  assert.deepEqual(await stopProcess(service), { code: 0, signal: null });
});
