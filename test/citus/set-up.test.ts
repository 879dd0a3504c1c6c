import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPostgres } from '../../server/src/db/engine/postgres.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { locations } from '../../server/src/lib/locations.ts';
import { emptyServerDatabase } from '../../server/test/support/server-database.ts';
import { ask, urlOf } from './worker-process.ts';

async function migrateAt(url: string): Promise<void> {
  const engine = await openPostgres({ url, max: 2 });
  await migrate(engine, locations.migrations).finally(() => engine.close());
}

test('a database is refused at the address of a worker, and while it has no workers', async (context) => {
  const database = await emptyServerDatabase(process.env.TEST_DATABASE_URL ?? '');
  context.after(database.drop);
  const worker = `(select json_build_object('host', nodename, 'port', nodeport) from pg_dist_node where groupid > 0 limit 1)`;
  const node = (await ask(database.url, `select ${worker}`)) as { host: string; port: number };
  await assert.rejects(
    migrateAt(urlOf(database.url, node)),
    /DATABASE_URL names a worker of a Citus cluster/,
  );
  await ask(
    database.url,
    'select count(citus_remove_node(nodename, nodeport)) from pg_dist_node where groupid > 0',
  );
  await assert.rejects(migrateAt(database.url), /has the extension citus but no workers/);
  assert.equal(await ask(database.url, `select to_regclass('migration')`), null, 'nothing was changed');
  await ask(database.url, `select citus_add_node($1, $2)`, [node.host, node.port]);
  await migrateAt(database.url);
  const settings = `select array_to_string(setconfig, ' ') from pg_db_role_setting
    where setrole = current_user::regrole and setdatabase = (select oid from pg_database where datname = current_database())`;
  assert.match(String(await ask(urlOf(database.url, node), settings)), /lock_timeout=2s/);
});
