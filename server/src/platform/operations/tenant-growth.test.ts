import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { planOf, stepsOf, visitedBy } from '../../../test/support/plans.ts';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newCourse, newTenant, type TestTenant, unique } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';
import { isDistributed } from '../db/distribute.ts';
import { watchGrowth } from './analyze-tables.ts';
import { analyzeForTenants } from './tenant-growth.ts';

const service = await startService();
after(() => service.close());
const { ctx } = service;
const course = await newCourse(service);
const skip = (await isDistributed(ctx.engine)) && 'on Citus, autovacuum analyses the shards';

const fill = (
  users: number,
) => `insert into "user" (tenant_id, user_id, login_id, password_hash, created_at, updated_at)
select $1, gen_random_uuid(), 'learner ' || n, 'random:', now(), now() from generate_series(1, ${users}) n`;
const enrolAll = `insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, starts_on, enrolled_at, changed_at)
select tenant_id, gen_random_uuid(), user_id, $2, 'standard', 'enrolment', now(), now() from "user"
where tenant_id = $1 limit 20000`;

const tables = ['user', 'user_word', 'enrolment'];

/** Another tenant fills the tables, so that those of the tests stay below the 10 % of autovacuum. */
before(async () => {
  if (skip) return;
  const { TenantID } = await newTenant(service);
  await ctx.engine.query({ text: fill(40_000), values: [TenantID] });
  await ctx.engine.query({ text: enrolAll, values: [TenantID, course] });
  for (const table of tables)
    await ctx.engine.query({
      text: `/* across tenants: a test analyses tables */ analyze "${table}"`,
      values: [],
    });
});

/** The rows that the database expects for the tenant, by table. */
const expected = ({ TenantID }: TestTenant) =>
  Promise.all(
    tables.map(async (table) => {
      const text = `select from "${table}" where tenant_id = $1`;
      return (await planOf(ctx.engine, { text, values: [TenantID] }))['Plan Rows'];
    }),
  );

/** Without a course, the users are not enrolled. */
async function growInBulk({ api }: TestTenant, users: number, fields: object, query = ''): Promise<void> {
  const rows = Array.from({ length: users }, () => JSON.stringify({ LoginID: unique('learner'), ...fields }));
  const headers = { 'content-type': 'application/x-ndjson' };
  expectStatus(await api('POST', `/user/bulk${query}`, `${rows.join('\n')}\n`, headers), 200);
}

async function growOneByOne({ api }: TestTenant, users: number): Promise<void> {
  const left = Array.from({ length: users }, (_, n) => `learner ${n}`);
  const client = async () => {
    for (let LoginID = left.pop(); LoginID; LoginID = left.pop()) {
      expectStatus(await api('POST', '/user', { LoginID, FirstName: 'Anna' }), 201);
      expectStatus(await api('POST', `/enrol/${LoginID}/${course}`), 201);
    }
  };
  await Promise.all(Array.from({ length: 20 }, client));
}

test('tables are analysed when a tenant that their statistics do not know has grown', { skip }, async () => {
  const tenants = [await newTenant(service), await newTenant(service)] as const;
  await growInBulk(tenants[0], 600, { CourseID: course });
  await growOneByOne(tenants[1], 600);
  for (const tenant of tenants) assert.deepEqual(await expected(tenant), [1, 1, 1]);
  await analyzeForTenants(ctx);
  for (const tenant of tenants) assert.ok((await expected(tenant)).every((rows) => rows > 300));
  const text = `select first_name from "user" where tenant_id = $1 and user_id = $2`;
  for (const { TenantID } of tenants) {
    const [user] = (
      await ctx.engine.query<{ user_id: string }>({
        text: 'select user_id from "user" where tenant_id = $1 limit 1',
        values: [TenantID],
      })
    ).rows;
    const plan = await planOf(ctx.engine, { text, values: [TenantID, user?.user_id] });
    assert.deepEqual([...stepsOf(plan)].map(visitedBy), [1]);
  }
});

test('a table is analysed at most every 10 s, and only if a tenant that has grown needs it', {
  skip,
}, async () => {
  let now = performance.now() + 1_000_000;
  /** Lets a new tenant grow and returns the tables that are analysed after the given time. */
  const grow = async (seconds: number, query = '') => {
    await growInBulk(await newTenant(service), 500, {}, query);
    now += seconds * 1_000;
    return analyzeForTenants(ctx, now);
  };
  assert.deepEqual(await grow(0), ['user', 'user_word']);
  assert.deepEqual(await grow(9), []);
  assert.deepEqual(await analyzeForTenants(ctx, now + 300_000), ['user', 'user_word']);
  assert.deepEqual(await grow(600, '?Plan=true'), []);
  const known = await newTenant(service);
  await growInBulk(known, 500, {});
  for (const table of tables)
    await ctx.engine.query({
      text: `/* across tenants: a test analyses tables */ analyze "${table}"`,
      values: [],
    });
  assert.deepEqual(await analyzeForTenants(ctx, now + 600_000), []);
  await growInBulk(known, 500, {});
  assert.deepEqual(await analyzeForTenants(ctx, now + 600_000), []);
});

test('if an analysis did not help, it is repeated only when the tenant has doubled', { skip }, async () => {
  const tenant = await newTenant(service);
  let now = performance.now() + 3_000_000;
  const grow = async (users: number) => {
    await growInBulk(tenant, users, {});
    now += 600_000;
    return analyzeForTenants(ctx, now);
  };
  await ctx.engine.script('alter table "user" alter tenant_id set statistics 0');
  try {
    assert.deepEqual(await grow(100), ['user', 'user_word']);
    assert.deepEqual(await grow(100), []);
    assert.deepEqual(await grow(100), ['user']);
  } finally {
    await ctx.engine.script('alter table "user" alter tenant_id set statistics -1');
  }
});

test('users that were created and erased do not postpone the next examination', { skip }, async () => {
  const tenant = await newTenant(service);
  const now = performance.now() + 6_000_000;
  await growInBulk(tenant, 99, {});
  await growOneByOne(tenant, 1);
  expectStatus(await tenant.api('DELETE', `/user/${encodeURIComponent('learner 0')}`), 200);
  assert.ok(!(await analyzeForTenants(ctx, now)).includes('user'));
  await growInBulk(tenant, 1, {});
  assert.ok((await analyzeForTenants(ctx, now)).includes('user'));
});

test('at the start, tables are analysed for tenants that have grown before', { skip }, async () => {
  const tenant = await newTenant(service);
  await ctx.engine.query({ text: fill(600), values: [tenant.TenantID] });
  assert.equal((await expected(tenant))[0], 1);
  const watch = watchGrowth(ctx);
  await until('the statistics know the tenant', async () => ((await expected(tenant))[0] ?? 0) > 300);
  await watch.stop();
});
