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
import { loadedTenants } from './loaded-tenants.ts';
import { ask, workerOf } from './worker-process.ts';

after(cleanUp);

/**
 * Gives the tenant shards of its own. Writes wait meanwhile, or get 503 after two seconds. Without blocking, Citus 13.2 can
 * hang: an update that is committed before the new shard has its primary key cannot be replicated.
 */
const isolate = `select isolate_tenant_to_new_shard('"user"', $1::text, 'CASCADE', shard_transfer_mode => 'block_writes')`;
/** Moves the tenant's shards from one worker to another. */
const move = `select citus_move_shard_placement(get_shard_id_for_distribution_column('"user"', $1::text),
  $2, $3, $4, $5, 'force_logical')`;

test('under load, a tenant gets shards of its own, and moves to another worker without a failed request', async (context) => {
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
  const [moved, other] = tenants;
  const from = moved.worker;
  const to = other.worker;
  const timed = async (what: string, text: string, values: unknown[]) => {
    for (const tenant of tenants) await tenant.progress();
    const begun = performance.now();
    await ask(database.url, text, values);
    console.log(`${what}: ${Math.round(performance.now() - begun)} ms`);
    for (const tenant of tenants) await tenant.progress();
  };
  await timed('isolated', isolate, [moved.id]);
  assert.deepEqual(await workerOf(database.url, moved.id), from);
  for (const { id, seen } of tenants) {
    console.log(`${id}: ${seen.unavailable} responses were 503 until then`);
    seen.unavailable = 0;
  }
  await timed('moved', move, [moved.id, from.host, from.port, to.host, to.port]);
  assert.deepEqual(await workerOf(database.url, moved.id), to);
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
