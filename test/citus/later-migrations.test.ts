import assert from 'node:assert/strict';
import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { openPostgres } from '../../server/src/platform/db/postgres/postgres.ts';
import { locations } from '../../server/src/platform/locations.ts';
import {
  bootstrapKey,
  cleanUp,
  startProcess,
  stopProcess,
  temporaryFolder,
} from '../../server/test/support/process.ts';
import { emptyServerDatabase, laterDistributedDatabase } from '../../server/test/support/server-database.ts';

after(cleanUp);

/** A folder with only the migrations up to this number. */
async function migrationsUntil(last: string): Promise<string> {
  const folder = join(await temporaryFolder(), 'migrations');
  await mkdir(folder);
  for (const name of await readdir(locations.migrations))
    if (name.endsWith('.sql') && name.slice(0, 4) <= last)
      await cp(join(locations.migrations, name), join(folder, name));
  return folder;
}

const tenants = ['one', 'two', 'three'];
const users = 20;

/** Rows of several tenants, as the version with these migrations wrote them. */
const fill = `
insert into tenant (tenant_id, name, created_at, updated_at)
  select id, id, now(), now() from unnest($1::text[]) id`;
const fillCourse = `insert into course (course_id, title, url, created_at, updated_at) values ('walk', 'A walk', 'https://walk.example/', now(), now())`;
const fillOption = `insert into enrol_option (course_id, duration_id, name, created_at, updated_at) values ('walk', 'standard', 'Standard', now(), now())`;
const fillUsers = `insert into "user" (tenant_id, user_id, login_id, last_name, email, password_hash, created_at, updated_at)
  select $1, gen_random_uuid(), 'learner-' || n, 'Müller ' || n, n || '@walk.example', 'none', now(), now() from generate_series(1, ${users}) n`;
const fillEnrolments = `insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, starts_on, enrolled_at, changed_at)
  select tenant_id, gen_random_uuid(), user_id, 'walk', 'standard', 'enrolment', now(), now() from "user" where tenant_id = $1`;
const fillEvents = `insert into event (tenant_id, event_id, type, occurred_at, user_id, enroll_id, course_id, data)
  select tenant_id, gen_random_uuid(), 'enrolment.created', now(), user_id, enroll_id, course_id, '{}' from enrolment where tenant_id = $1`;
const fillNumberedEvents = fillEvents
  .replace(', data)', ', data, position)')
  .replace("'{}' from", "'{}', row_number() over () from");
const fillEventLog = `insert into event_log (tenant_id, position) values ($1, ${users})`;
const fillWebhooks = `insert into webhook (tenant_id, webhook_id, url, secret, created_at, updated_at, epoch, transaction, event_id)
  values ($1, gen_random_uuid(), 'https://walk.example/', 'none', now(), now(), 0, '0', '00000000-0000-0000-0000-000000000000')`;

/** Applies the migrations up to this number, and fills the database. */
async function prepare(url: string, last: string): Promise<void> {
  const engine = await openPostgres({ url });
  await migrate(engine, await migrationsUntil(last)).finally(() => engine.close());
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(fill, [tenants]);
  await client.query(fillCourse);
  await client.query(fillOption);
  const events = last >= '0034' ? [fillNumberedEvents, fillEventLog] : [fillEvents, fillWebhooks];
  for (const tenant of tenants)
    for (const text of [fillUsers, fillEnrolments, ...events]) await client.query(text, [tenant]);
  await client.end();
}

const unknownTables = `select tablename from pg_tables where schemaname = 'public'
  and not exists (select from citus_tables where table_name = format('%I', tablename)::regclass and citus_table_type in ('distributed', 'reference'))`;
const unknownFunctions = `select proname from pg_proc where pronamespace = 'public'::regnamespace and prosrc like '%variable_conflict%'
  and not exists (select from pg_dist_object where objid = pg_proc.oid and distribution_argument_index is not null)`;
const foreignKeys = `select count(*)::integer as count from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`;

/** Migrates the database to the current version, and runs the service on it. */
async function finish(url: string): Promise<void> {
  const engine = await openPostgres({ url });
  await migrate(engine, locations.migrations).finally(() => engine.close());
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const rowsOf = async (text: string) => (await client.query(text)).rows;
  assert.deepEqual(await rowsOf(unknownTables), [], 'all tables are distributed or reference tables');
  assert.deepEqual(await rowsOf(unknownFunctions), [], 'all functions are distributed');
  const [{ count }] = await rowsOf(foreignKeys);
  assert.ok(count > 40, `${count} foreign keys`);
  // Their secrets are not encrypted, so the service would not start.
  await client.query('delete from webhook');
  await client.end();

  const service = await startProcess({
    DATA_DIR: await temporaryFolder(),
    BOOTSTRAP_KEY: bootstrapKey,
    DATABASE_URL: url,
    LOG_LEVEL: 'error',
  });
  for (const tenant of tenants) {
    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(service.baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${bootstrapKey}`, tenant, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return { status: response.status, body: await response.json() };
    };
    const found = await call('GET', '/user?Limit=200');
    assert.equal(found.body.Items.length, users);
    assert.equal((await call('GET', '/enrolment?Limit=200')).body.Items.length, users);
    assert.equal((await call('GET', '/events?Limit=200')).body.Items.length, users);
    assert.equal((await call('POST', '/user', { LoginID: 'new' })).status, 201);
    assert.equal((await call('POST', '/enrol/new/walk')).status, 201);
    assert.equal((await call('GET', '/enrolment/new')).body.Items.length, 1);
  }
  assert.equal(service.stderr(), '');
  assert.deepEqual(await stopProcess(service), { code: 0, signal: null });
}

const server = process.env.TEST_DATABASE_URL ?? '';

/** The migration before numbered events, one with a few new tables, and the one before the latest. */
for (const last of ['0033', '0048', '0067'])
  test(`a distributed database with data is migrated from ${last} to the current version`, async (context) => {
    const database = await emptyServerDatabase(server);
    context.after(database.drop);
    await prepare(database.url, last);
    await finish(database.url);
  });

test('a database of a single server with data is distributed', async (context) => {
  const database = await laterDistributedDatabase(server, async (url) => {
    await prepare(url, '9999');
    const engine = await openPostgres({ url });
    await migrate(engine, locations.migrations).finally(() => engine.close());
  });
  context.after(database.drop);
  await finish(database.url);
});
