import assert from 'node:assert/strict';
import { chownSync, existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { check } from '../../bench/kill/check.ts';
import { checkServer } from '../../bench/kill/consistency.ts';
import { owner } from '../../scripts/postgres-cluster.ts';
import { startBalanced } from './support/balanced.ts';
import { cleanUp, freePorts, runProcess, stopProcess, temporaryFolder } from './support/process.ts';
import { until } from './support/until.ts';

after(cleanUp);

const program = '/usr/sbin/pgbouncer';

/** PgBouncer in transaction mode, with fewer connections than its clients open. */
async function startPooler(serverUrl: string): Promise<{ port: number; stop: () => Promise<unknown> }> {
  assert.ok(existsSync(program), 'PgBouncer is missing. Install it (apt-get install pgbouncer).');
  const server = new URL(serverUrl);
  const [port = 0] = await freePorts(1);
  const folder = await temporaryFolder();
  const file = join(folder, 'pgbouncer.ini');
  const settings = `[databases]
* = host=${server.hostname} port=${server.port || 5432} user=${server.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 6
max_client_conn = 200
ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout
`;
  await writeFile(file, settings);
  const { uid, gid } = owner();
  if (uid !== undefined && gid !== undefined) for (const path of [folder, file]) chownSync(path, uid, gid);
  const pooler = runProcess(program, [...(uid === undefined ? [] : ['-u', 'postgres']), file], {});
  await until('the pooler listens', () => listens(port)).catch((error: unknown) => {
    throw new Error(pooler.stderr(), { cause: error });
  });
  return { port, stop: () => stopProcess(pooler) };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('connect', () => socket.destroy()).on('error', () => resolve(false));
  });
}

test('the service works through PgBouncer in transaction mode, including jobs, without named statements', {
  skip: !process.env.TEST_DATABASE_URL && 'a pooler needs a server; runs with --postgres',
}, async (context) => {
  const pooler = await startPooler(process.env.TEST_DATABASE_URL ?? '');
  context.after(pooler.stop);
  const through = (databaseUrl: string) => {
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${pooler.port}`;
    return url.href;
  };
  const service = await startBalanced(2, (url) => ({ DATABASE_URL: through(url), STATEMENT_NAMES: 'false' }));
  context.after(service.close);
  const { client, target, ledger, balancer, databaseUrl } = service;
  const direct = new pg.Client({ connectionString: databaseUrl });
  direct.on('error', () => {});
  await direct.connect();
  const load = service.load(24);
  await until('some requests have succeeded', () => ledger.acknowledged.commits > 100);
  assert.deepEqual(await load.over(), []);
  assert.deepEqual(balancer.broken, []);
  assert.deepEqual(await check(client, target, ledger, { all: true }), { lost: [], torn: [] });
  assert.deepEqual(await checkServer(databaseUrl), []);

  await until('scheduled jobs have run', async () => {
    const done = await direct.query(
      `select 1 from scheduled_job where name like 'enrolments.expire%' and runs > 0`,
    );
    return done.rows.length > 0;
  });
  for (const node of service.nodes) {
    assert.deepEqual(await stopProcess(node), { code: 0, signal: null });
    const lines = node
      .stdout()
      .split('\n')
      .filter((line) => /"level":(40|50|60)/.test(line));
    // On a slow machine, the event loop may be blocked, which is not an error here.
    assert.deepEqual(
      lines.filter((line) => !line.includes('the event loop was blocked')),
      [],
    );
  }
  // The pooler passes connections on to the next client, so anything that a session left behind would still
  // be there.
  const { rows } = await direct.query(
    `select count(*)::int as connections,
       (select count(*)::int from pg_locks
        where locktype = 'advisory' and pid in (select pid from pg_stat_activity where datname = current_database())) as locks
     from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
       and application_name not like 'citus%'`,
  );
  await direct.end();
  const [{ connections, locks }] = rows;
  assert.ok(connections > 0 && connections <= 6, `${connections} server connections are open`);
  assert.equal(locks, 0, 'no session-level lock is left');
  console.log(
    `PgBouncer, transaction mode: ${JSON.stringify(ledger.acknowledged)} over ${connections} connections, losses 0`,
  );
});
