import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { startService } from '../../../test/support/service.ts';
import {
  allPages,
  expectProblem,
  expectStatus,
  newTenant,
  type TestTenant,
} from '../../../test/support/tenant.ts';

const service = await startService();
after(service.close);

async function countOf({ api }: TestTenant, query = '') {
  const reply = await api('GET', `/user?Limit=1&Count=true&${query}`);
  expectStatus(reply, 200);
  assert.ok(reply.body.Items.length <= 1);
  return reply.body.Count;
}

const fill = ({ TenantID }: TestTenant, users: number) =>
  sql`
  insert into "user" (tenant_id, user_id, login_id, first_name, group_name, enabled, password_hash, created_at, updated_at)
  select ${TenantID}, gen_random_uuid(), 'u' || lpad(n::text, 5, '0'), 'Kim', 'g' || n % 2, n % 5000 <> 0, 'x', now(), now()
  from generate_series(1, ${users}::integer) n`.execute(service.ctx.db);

test('Order sorts users by creation time, with pages and filters', async () => {
  const tenant = await newTenant(service);
  for (const LoginID of ['mo', 'al', 'zed', 'eve'])
    expectStatus(await tenant.api('POST', '/user', { LoginID, GroupName: LoginID < 'f' ? 'A' : 'Z' }), 201);
  const listed = async (query: string) => {
    const { items } = await allPages((address) => tenant.api('GET', address), `/user?${query}`);
    return items.map(({ LoginID }: { LoginID: string }) => LoginID);
  };
  assert.deepEqual(await listed(''), ['al', 'eve', 'mo', 'zed']);
  assert.deepEqual(await listed('Order=oldest'), ['mo', 'al', 'zed', 'eve']);
  assert.deepEqual(await listed('Order=newest'), ['eve', 'zed', 'al', 'mo']);
  assert.deepEqual(await listed('Order=newest&GroupName=Z'), ['zed', 'mo']);
  assert.deepEqual(await listed('Order=oldest&GroupName=A&Enabled=true'), ['al', 'eve']);
  assert.deepEqual(await listed('Order=oldest&Enabled=false'), []);
});

test('LoginID finds several users, also one whose LoginID contains a comma', async () => {
  const tenant = await newTenant(service);
  for (const LoginID of ['al', 'bo', 'cy', 'bo,cy'])
    expectStatus(await tenant.api('POST', '/user', { LoginID, FirstName: LoginID }), 201);
  const listed = async (query: string) =>
    (await tenant.api('GET', `/user?${query}`)).body.Items.map(({ LoginID }: { LoginID: string }) => LoginID);
  assert.deepEqual(await listed('LoginID=cy,al,nobody'), ['al', 'cy']);
  assert.deepEqual(await listed('LoginID=bo%2Ccy'), ['bo', 'bo,cy', 'cy']);
  assert.deepEqual(await listed('LoginID=al,bo&Order=newest'), ['bo', 'al']);
  assert.deepEqual(await listed('LoginID=al,bo&Search=bo'), ['bo']);
  assert.deepEqual(await listed('LoginID=AL'), []);
  expectProblem(await tenant.api('GET', `/user?LoginID=${'x'.repeat(8_001)}`), 422, 'validation_failed');
});

test('a cursor belongs to one order', async () => {
  const tenant = await newTenant(service);
  for (const LoginID of ['al', 'bo']) expectStatus(await tenant.api('POST', '/user', { LoginID }), 201);
  const { NextCursor } = (await tenant.api('GET', '/user?Limit=1')).body;
  const other = await tenant.api('GET', `/user?Limit=1&Order=newest&Cursor=${NextCursor}`);
  expectProblem(other, 422, 'validation_failed');
});

test('Count returns the number of users that match the filters, on the first page only', async () => {
  const tenant = await newTenant(service);
  assert.deepEqual(await countOf(tenant), { Records: 0, More: false });
  const people = [
    { LoginID: 'al', FirstName: 'Kim', GroupName: 'A' },
    { LoginID: 'bo', FirstName: 'Kim', GroupName: 'B' },
    { LoginID: 'kim', GroupName: 'B', Email: 'kim@mail.example' },
  ];
  for (const person of people) expectStatus(await tenant.api('POST', '/user', person), 201);
  await tenant.api('PUT', '/user/bo', { Enabled: false });
  const counts: [string, number][] = [
    ['', 3],
    ['GroupName=B', 2],
    ['GroupName=B&Enabled=true', 1],
    ['Enabled=false', 1],
    ['Search=kim', 3],
    ['Search=kim&GroupName=B', 2],
    ['Search=nobody', 0],
    ['Search=kim%40mail.example', 1],
    ['Order=newest', 3],
    ['Order=newest&GroupName=A', 1],
  ];
  for (const [query, Records] of counts)
    assert.deepEqual(await countOf(tenant, query), { Records, More: false }, query);
  const first = (await tenant.api('GET', '/user?Limit=1&Count=true')).body;
  assert.equal(first.Count.Records, 3);
  const second = (await tenant.api('GET', `/user?Limit=1&Count=true&Cursor=${first.NextCursor}`)).body;
  assert.equal(second.Count, undefined);
  assert.equal((await tenant.api('GET', '/user')).body.Count, undefined);
  const csv = await tenant.api('GET', '/user?Count=true', undefined, { accept: 'text/csv' });
  assert.equal(csv.status, 200);
  assert.ok(!JSON.stringify(csv.body).includes('Count'));
});

test('counting stops after 10,000 users', async () => {
  const tenant = await newTenant(service);
  await fill(tenant, 5_001);
  const exact = (Records: number) => ({ Records, More: false });
  assert.deepEqual(await countOf(tenant), exact(5_001));
  assert.deepEqual(await countOf(tenant, 'Order=newest'), exact(5_001));
  assert.deepEqual(await countOf(tenant, 'GroupName=g1'), exact(2_501));
  assert.deepEqual(await countOf(tenant, 'GroupName=g0&Enabled=false'), exact(1));
  assert.deepEqual(await countOf(tenant, 'Order=newest&GroupName=g0&Enabled=false'), exact(1));
  const large = await newTenant(service);
  await fill(large, 10_001);
  assert.deepEqual(await countOf(large), { Records: 10_000, More: true });
  assert.deepEqual(await countOf(large, 'GroupName=g1'), exact(5_001));
  assert.deepEqual(await countOf(large, 'Enabled=false'), exact(2));
});
