import assert from 'node:assert/strict';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { openPostgres } from '../../server/src/db/engine/postgres.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { locations } from '../../server/src/lib/locations.ts';
import {
  bootstrapKey,
  cleanUp,
  startProcess,
  stopProcess,
  temporaryFolder,
} from '../../server/test/support/process.ts';
import { emptyServerDatabase, laterDistributedDatabase } from '../../server/test/support/server-database.ts';

after(cleanUp);

const tenants = ['one', 'two', 'three'];
const users = 20;

/** Rows of several tenants. */
const fill = `
insert into tenant (tenant_id, name, created_at, updated_at)
  select id, id, now(), now() from unnest($1::text[]) id`;
const fillCourse = `insert into course (course_id, title, url, created_at, updated_at) values ('walk', 'A walk', 'https://walk.example/', now(), now())`;
const fillOption = `insert into enrol_option (course_id, duration_id, name, created_at, updated_at) values ('walk', 'standard', 'Standard', now(), now())`;
const fillUsers = `insert into "user" (tenant_id, user_id, login_id, last_name, email, password_hash, created_at, updated_at)
  select $1, gen_random_uuid(), 'learner-' || n, 'Müller ' || n, n || '@walk.example', 'none', now(), now() from generate_series(1, ${users}) n`;
const fillEnrolments = `insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, starts_on, enrolled_at, changed_at)
  select tenant_id, gen_random_uuid(), user_id, 'walk', 'standard', 'enrolment', now(), now() from "user" where tenant_id = $1`;
const fillEvents = `insert into event (tenant_id, event_id, type, occurred_at, user_id, enroll_id, course_id, data, position)
  select tenant_id, gen_random_uuid(), 'enrolment.created', now(), user_id, enroll_id, course_id, '{}', row_number() over () from enrolment where tenant_id = $1`;
const fillEventLog = `insert into event_log (tenant_id, position) values ($1, ${users})`;

async function migrateFrom(url: string, folder: string): Promise<void> {
  const engine = await openPostgres({ url });
  await migrate(engine, folder).finally(() => engine.close());
}

async function withRows(url: string): Promise<void> {
  await migrateFrom(url, locations.migrations);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(fill, [tenants]);
  await client.query(fillCourse);
  await client.query(fillOption);
  for (const tenant of tenants)
    for (const text of [fillUsers, fillEnrolments, fillEvents, fillEventLog])
      await client.query(text, [tenant]);
  await client.end();
}

const unknownTables = `select tablename from pg_tables where schemaname = 'public'
  and tablename <> 'scheduled_job' and not exists (select from citus_tables where table_name = format('%I', tablename)::regclass and citus_table_type in ('distributed', 'reference'))`;
/** Functions for several tenants are not used on Citus. */
const unknownFunctions = `select proname from pg_proc where pronamespace = 'public'::regnamespace and prosrc like '%variable_conflict%'
  and proargtypes[0] = 'text'::regtype
  and not exists (select from pg_dist_object where objid = pg_proc.oid and distribution_argument_index is not null)`;
const foreignKeys = `select count(*)::integer as count from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`;

async function checkDistribution(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const rowsOf = async (text: string) => (await client.query(text)).rows;
  assert.deepEqual(
    await rowsOf(unknownTables),
    [],
    'all tables but that of the jobs are distributed or reference tables',
  );
  assert.deepEqual(await rowsOf(unknownFunctions), [], 'all functions for one tenant are distributed');
  const [{ count }] = await rowsOf(foreignKeys);
  assert.ok(count > 40, `${count} foreign keys`);
  await client.end();
}

async function runService(url: string): Promise<void> {
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

const later: Record<string, string> = {
  '9001_note.sql': `create table note (
  tenant_id text not null references tenant,
  note_id uuid not null,
  user_id uuid not null,
  primary key (tenant_id, note_id),
  foreign key (tenant_id, user_id) references "user" on delete cascade
);
create table colour (name text primary key);
alter table enrolment add column origin text, add column weight integer not null default 1;
alter table enrolment add constraint enrolment_weight check (weight > 0) not valid;
alter table enrolment validate constraint enrolment_weight;
`,
  '9002_index.sql': `-- outside a transaction
drop index concurrently if exists enrolment_by_origin;
create index concurrently enrolment_by_origin on enrolment (tenant_id, origin, enroll_id);
`,
};

test('a later migration applies to a distributed database with data', async (context) => {
  const database = await emptyServerDatabase(server);
  context.after(database.drop);
  await withRows(database.url);
  await runService(database.url);
  const folder = await temporaryFolder();
  await cp(locations.migrations, folder, { recursive: true });
  for (const [name, sql] of Object.entries(later)) await writeFile(join(folder, name), sql);
  await migrateFrom(database.url, folder);
  await checkDistribution(database.url);
});

test('a database of a single server with data is distributed', async (context) => {
  const database = await laterDistributedDatabase(server, withRows);
  context.after(database.drop);
  await migrateFrom(database.url, locations.migrations);
  await checkDistribution(database.url);
  await runService(database.url);
});
