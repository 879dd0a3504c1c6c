import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startCluster, startReplica } from '../../scripts/postgres-cluster.ts';
import { bootstrapKey, cleanUp, startProcess, stopProcess, temporaryFolder } from './support/process.ts';
import { until } from './support/until.ts';

after(cleanUp);
const skip = !process.env.TEST_DATABASE_URL && 'needs a PostgreSQL server; runs with --postgres';

async function ask(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query({ text, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

test('callers that allow stale data read from a replica, and no caller gets data that is older than it allows', {
  skip,
}, async (context) => {
  const cluster = await startCluster();
  context.after(cluster.remove);
  const replica = await startReplica(cluster);
  context.after(() => replica.crash('fast'));
  const service = await startProcess({
    DATA_DIR: await temporaryFolder(),
    BOOTSTRAP_KEY: bootstrapKey,
    DATABASE_URL: cluster.url,
    DATABASE_READ_URL: replica.url,
  });
  const call = async (
    method: string,
    path: string,
    key: string,
    more: { body?: object; headers?: object } = {},
  ) => {
    const answer = await fetch(service.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more.headers },
      ...(more.body ? { body: JSON.stringify(more.body) } : {}),
    });
    return {
      status: answer.status,
      applied: answer.headers.get('preference-applied'),
      text: await answer.text(),
    };
  };
  await call('POST', '/tenant', bootstrapKey, { body: { TenantID: 'one' } });
  const keyWith = async (Scopes?: string[]) => {
    const body = { Name: 'a key', ...(Scopes ? { Scopes } : {}) };
    return JSON.parse((await call('POST', '/tenant/one/key', bootstrapKey, { body })).text).Secret as string;
  };
  const [writer, reader] = [await keyWith(), await keyWith(['users:read'])];
  const create = async (LoginID: string) =>
    assert.equal((await call('POST', '/user', writer, { body: { LoginID } })).status, 201);
  /**
   * Reads the users. `applied` shows whether a replica answered, and `names` lists the users in the response.
   */
  const users = async (key: string, prefer: string | null, accept = 'application/json') => {
    const headers = { accept, ...(prefer === null ? {} : { prefer }) };
    const { status, applied, text } = await call('GET', '/user', key, { headers });
    assert.equal(status, 200, text);
    return { applied, names: [...new Set(text.match(/user-\d/g) ?? [])].join(' ') };
  };
  const isUsed = async () => (await users(writer, 'stale=5')).applied === 'stale=5';

  await create('user-1');
  await until('the replica answers', isUsed);
  assert.deepEqual(await users(reader, 'stale=5'), { applied: 'stale=5', names: 'user-1' });
  assert.deepEqual(await users(reader, 'stale=5', 'text/csv'), { applied: 'stale=5', names: 'user-1' });
  assert.deepEqual(await users(reader, null), { applied: null, names: 'user-1' });
  const record = await call('GET', '/user/user-1', reader, { headers: { prefer: 'stale=5' } });
  assert.deepEqual([record.status, record.applied], [200, null], 'a single record is always the current one');

  // One caller writes and then immediately reads, in the same process.
  for (let n = 2; n <= 6; n++) {
    await create(`user-${n}`);
    assert.ok(
      (await users(writer, 'stale=60')).names.endsWith(`user-${n}`),
      "a caller's own write is always visible",
    );
  }
  await until('the replica has caught up with all writes', isUsed);

  await ask(replica.url, 'select pg_wal_replay_pause()');
  await until(
    'replay on the replica is paused',
    async () => (await ask(replica.url, 'select pg_get_wal_replay_pause_state()')) === 'paused',
  );
  await delay(1_500);
  await create('user-7');
  const old = 'user-1 user-2 user-3 user-4 user-5 user-6';
  assert.deepEqual(await users(reader, 'stale=3600'), { applied: 'stale=3600', names: old });
  assert.deepEqual(await users(reader, 'stale=3600', 'text/csv'), { applied: 'stale=3600', names: old });
  assert.deepEqual(await users(reader, 'stale=0'), { applied: null, names: `${old} user-7` });
  assert.deepEqual(await users(writer, 'stale=3600'), { applied: null, names: `${old} user-7` });
  await delay(2_500);
  assert.deepEqual(
    await users(reader, 'stale=1'),
    { applied: null, names: `${old} user-7` },
    'the replica is too old',
  );
  await ask(replica.url, 'select pg_wal_replay_resume()');
  await until('the replica has caught up', isUsed);
  assert.deepEqual(await users(writer, 'stale=5'), { applied: 'stale=5', names: `${old} user-7` });

  await replica.crash('immediate');
  assert.deepEqual(
    await users(reader, 'stale=3600'),
    { applied: null, names: `${old} user-7` },
    'the replica is down',
  );
  await replica.start();
  await until('the replica is used again', isUsed);
  const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
  for (const result of ['used', 'behind', 'unavailable'])
    assert.match(metrics, new RegExp(`^lectern_replica_reads_total\\{result="${result}"\\} [1-9]`, 'm'));

  await ask(replica.url, 'select pg_promote()');
  assert.deepEqual(
    await users(reader, 'stale=3600'),
    { applied: null, names: `${old} user-7` },
    'a promoted server is no longer a replica',
  );
  assert.deepEqual(await stopProcess(service), { code: 0, signal: null });
});
