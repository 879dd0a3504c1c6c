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
import { emptyServerDatabase } from '../../server/test/support/server-database.ts';

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

/** The migration before numbered events, one with a few new tables, and the one before the latest. */
for (const last of ['0033', '0048', '0067'])
  test(`a distributed database with data is migrated from ${last} to the current version`, async (context) => {
    const isNumbered = last >= '0034';
    const database = await emptyServerDatabase(process.env.TEST_DATABASE_URL ?? '');
    context.after(database.drop);
    const engine = await openPostgres({ url: database.url });
    const old = await migrationsUntil(last);
    await migrate(engine, old);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(fill, [tenants]);
    await client.query(fillCourse);
    await client.query(fillOption);
    for (const tenant of tenants)
      for (const text of [
        fillUsers,
        fillEnrolments,
        ...(isNumbered ? [fillNumberedEvents, fillEventLog] : [fillEvents, fillWebhooks]),
      ])
        await client.query(text, [tenant]);
    await migrate(engine, locations.migrations).finally(() => engine.close());
    const { rows: loose } = await client.query(
      `select tablename from pg_tables where schemaname = 'public'
        and not exists (select from citus_tables where table_name = format('%I', tablename)::regclass and citus_table_type in ('distributed', 'reference'))`,
    );
    assert.deepEqual(loose, [], 'all tables are distributed or reference tables');
    const { rows: keys } =
      await client.query(`select count(*)::int as count from pg_constraint where contype = 'f'
      and connamespace = 'public'::regnamespace`);
    assert.ok(keys[0].count > 40, `${keys[0].count} foreign keys`);
    // Their secrets are not encrypted, so the service would not start.
    await client.query('delete from webhook');
    await client.end();

    const service = await startProcess({
      DATA_DIR: await temporaryFolder(),
      BOOTSTRAP_KEY: bootstrapKey,
      DATABASE_URL: database.url,
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
  });
