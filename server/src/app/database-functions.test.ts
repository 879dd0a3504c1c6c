import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openTestDatabase } from '../../test/support/test-database.ts';
import type { Connection } from '../db/engine/engine.ts';
import { statementsLock, storeValues } from '../domain/lrs/store-function.ts';
import { databaseFunctions } from './database-functions.ts';

const { engine } = await openTestDatabase();
after(() => engine.close());

const at = '2026-01-31T09:00:00.000Z';
const ended = '2026-02-28T09:00:00.000Z';
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const [user, enrolment, launch, statement] = [id(1), id(2), id(3), id(4)];

const progress = {
  ...{
    n: 0,
    line: 1,
    enrollId: enrolment,
    launch: 1,
    number: 1,
    bodyHash: 'x',
    isLive: true,
    exit: false,
    bytes: 2,
  },
  ...{ expectedRevision: 0, expectedStatus: 'in_progress', expectedChange: null, unitId: 'unit' },
  ...{
    evidence: {},
    treeState: null,
    shared: null,
    root: null,
    completion: 'incomplete',
    success: 'unknown',
  },
  ...{ score: null, progress: 50, totalSeconds: 10, status: 'in_progress', completedAt: null, warnings: [] },
  ...{ claimed: null, attemptState: null, events: [{ id: id(14), type: 'enrolment.progressed', data: {} }] },
};

const stored = {
  ...{ request: 0, id: statement, payload: '{}', bytes: 2, keys: [id(5)], refers_to: null, voids: false },
};

/** The functions' values for this tenant, in the order in which a learner's life calls them. */
const calls = (tenant: string): Record<string, unknown[]> => ({
  create_user: [
    tenant,
    JSON.stringify([
      {
        ...{ n: 0, may_create: true, event_id: id(11), user_id: user, login_id: 'ann', is_admin: false },
        ...{
          register: false,
          enabled: true,
          password_hash: 'none',
          sort_name: 'ann',
          folded: 'ann',
          time_factor: 1,
          other_groups: ['leeds'],
          attributes: {},
          group_name: 'sales',
        },
      },
    ]),
    at,
    true,
  ],
  enrol: [
    tenant,
    JSON.stringify([
      {
        ...{ n: 0, enroll_id: enrolment, first_event: id(12), second_event: id(12), login_id: 'ann' },
        ...{ course_id: 'walk', duration_id: 'standard', if_enrolled: 'return', expires_at: ended },
      },
    ]),
    at,
    true,
    null,
  ],
  start_launch: [
    tenant,
    JSON.stringify([{ n: 0, enrollId: enrolment, eventId: id(13), launchId: launch }]),
    at,
  ],
  write_progress: [tenant, JSON.stringify([progress]), at, '{}'],
  expire_enrolments: [tenant, JSON.stringify([{ enroll_id: enrolment, event_id: id(15) }]), ended],
  store_statements: [tenant, ...storeValues([stored], 10)],
  repeat_lti_launch: [
    tenant,
    JSON.stringify([
      {
        ...{ n: 0, launchId: launch, platformId: id(16), deploymentId: 'one' },
        ...{ resourceLinkId: 'place', subject: 'ann', loginId: 'ann', courseId: 'walk', mayRead: false },
      },
    ]),
    at,
    at,
  ],
  erase_statements: [tenant, []],
  read_answers: [tenant, JSON.stringify([{ n: 0, key_hash: '00'.repeat(16) }]), at],
});

async function call(connection: Connection, tenant: string, file: string): Promise<unknown[]> {
  const known = databaseFunctions.find((known) => known.file === file);
  const values = calls(tenant)[file];
  assert.ok(known && values, `This test does not call ${file}.`);
  const parameters = values.map((_, n) => `$${n + 1}`).join();
  const text = `/* across tenants: test */ select outcome.* from ${known.name}(${parameters}) outcome`;
  const { rows } = await connection.query<object>({ text, values });
  return rows;
}

/** All rows of the tenant, without its ID and without positions, which come from the clock. */
async function rowsOf(tenant: string): Promise<string> {
  const { rows: tables } = await engine.query<{ name: string }>({
    text: `select format('%I', table_name) as name from information_schema.columns
      where table_schema = 'public' and column_name = 'tenant_id' and table_name <> 'tenant' order by 1`,
    values: [],
  });
  const found: unknown[] = [];
  for (const { name } of tables) {
    const text = `select to_jsonb(own) - 'tenant_id' - 'position' - 'source' as row from ${name} own where own.tenant_id = $1`;
    const { rows } = await engine.query<{ row: object }>({ text, values: [tenant] });
    found.push([name, rows.map(({ row }) => JSON.stringify(row)).sort()]);
  }
  return JSON.stringify(found, null, 1);
}

test('each function does the same in and out of a transaction', async () => {
  const insert = (text: string) => engine.query({ text: `/* across tenants: test */ ${text}`, values: [] });
  await insert(
    `insert into tenant (tenant_id, name, created_at, updated_at) values ('tenant-in', 'in', now(), now()), ('tenant-out', 'out', now(), now())`,
  );
  await insert(
    `insert into course (course_id, title, url, created_at, updated_at) values ('walk', 'A walk', 'https://walk.example/', now(), now())`,
  );
  await insert(
    `insert into enrol_option (course_id, duration_id, name, created_at, updated_at, seats) values ('walk', 'standard', 'Standard', now(), now(), 5)`,
  );
  assert.deepEqual(Object.keys(calls('')).sort(), databaseFunctions.map(({ file }) => file).sort());
  const withoutTenant = (rows: unknown[]) => JSON.stringify(rows).replaceAll(/tenant-(in|out)/g, 'tenant');
  for (const file of Object.keys(calls(''))) {
    const out = await call(engine, 'tenant-out', file);
    const within = await engine.transaction(async (connection) => {
      // A statement before and after it, as in the service.
      await connection.query({ text: 'select from "user" where tenant_id = $1', values: ['tenant-in'] });
      const rows = await call(connection, 'tenant-in', file);
      await connection.query({ text: 'select from "user" where tenant_id = $1', values: ['tenant-in'] });
      return rows;
    });
    assert.equal(withoutTenant(within), withoutTenant(out), file);
    assert.equal(await rowsOf('tenant-in'), await rowsOf('tenant-out'), file);
  }
  assert.match(await rowsOf('tenant-in'), /enrolment.expired/, 'all calls had an effect');
});

/** Asked of the node that has the tenant's rows, as readers do. Without a column of the log, the coordinator would answer. */
const isFree = `select pg_try_advisory_xact_lock_shared(${statementsLock}) as free, log.position
from (values (1)) as one (row) left join statement_log log on log.tenant_id = $1`;

test('a function that is called in a transaction locks where the rows of the tenant are', {
  skip: engine.kind === 'pglite' && 'the embedded database has one session',
}, async () => {
  const ask = async () =>
    (await engine.query<{ free: boolean }>({ text: isFree, values: ['tenant-in'] })).rows[0]?.free;
  assert.equal(await ask(), true);
  await engine.transaction(async (connection) => {
    await call(connection, 'tenant-in', 'store_statements');
    assert.equal(await ask(), false);
  });
  assert.equal(await ask(), true);
});
