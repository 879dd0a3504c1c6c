import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../../../test/support/tenant.ts';

const service = await startService();
after(service.close);

async function found({ api }: TestTenant, search: string, more = ''): Promise<string[]> {
  const reply = await api('GET', `/user?Search=${encodeURIComponent(search)}${more}`);
  expectStatus(reply, 200);
  return reply.body.Items.map(({ LoginID }: { LoginID: string }) => LoginID);
}

async function stored({ TenantID }: TestTenant): Promise<string[]> {
  const { rows } = await sql<{ word: string }>`
    select word from user_word where tenant_id = ${TenantID} order by word`.execute(service.ctx.db);
  return rows.map(({ word }) => word);
}

const people = [
  { LoginID: 'A00050', FirstName: 'Anna', LastName: 'Stone', Email: 'a.stone@acme.example' },
  { LoginID: 'A00051', FirstName: 'Jürgen', LastName: 'Müller-Lüdenscheidt', Email: 'jm@beta.example' },
  { LoginID: 'stone@acme.example', FirstName: 'Łukasz', LastName: "O'Brien" },
  { LoginID: 'anna', FirstName: 'Иван', LastName: 'Straße' },
];

async function tenantWithPeople(): Promise<TestTenant> {
  const tenant = await newTenant(service);
  for (const person of people) expectStatus(await tenant.api('POST', '/user', person), 201);
  return tenant;
}

test('users are found by the beginnings of words in any order, ignoring case, accents and punctuation', async () => {
  const tenant = await tenantWithPeople();
  const cases: Record<string, string[]> = {
    'Stone Anna': ['A00050'],
    'ann sto': ['A00050'],
    muller: ['A00051'],
    'LÜDEN jurg': ['A00051'],
    'acme.example': ['A00050', 'stone@acme.example'],
    'a.stone@acme.example': ['A00050', 'stone@acme.example'],
    'brien lukasz': ['stone@acme.example'],
    strasse: ['anna'],
    ИВАН: ['anna'],
    tone: [],
    'anna muller': [],
    '  ,  ': [],
  };
  for (const [search, logins] of Object.entries(cases))
    assert.deepEqual((await found(tenant, search)).sort(), logins, search);
});

test('a user with exactly this LoginID comes first, and everyone is listed once', async () => {
  const tenant = await tenantWithPeople();
  assert.deepEqual(await found(tenant, 'anna'), ['anna', 'A00050']);
  const pages: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await tenant.api('GET', `/user?Search=a&Limit=1${cursor}`);
    pages.push(...body.Items.map(({ LoginID }: { LoginID: string }) => LoginID));
    if (body.NextCursor === null) break;
    cursor = `&Cursor=${body.NextCursor}`;
  }
  assert.deepEqual(pages.sort(), ['A00050', 'A00051', 'anna', 'stone@acme.example']);
});

test('filters and searches combine', async () => {
  const tenant = await tenantWithPeople();
  expectStatus(await tenant.api('PUT', '/user/A00051', { GroupName: 'Sales', Enabled: false }), 200);
  assert.deepEqual(await found(tenant, 'example', '&GroupName=Sales'), ['A00051']);
  assert.deepEqual(await found(tenant, 'example', '&Enabled=false'), ['A00051']);
  assert.deepEqual(await found(tenant, 'acme', '&Enabled=false'), []);
  assert.deepEqual(await found(tenant, 'anna', '&Enabled=false'), []);
});

test('a LoginID that consists of punctuation is found by its beginning', async () => {
  const { api, ...tenant } = await newTenant(service);
  expectStatus(await api('POST', '/user', { LoginID: '--+' }), 201);
  assert.deepEqual(await found({ api, ...tenant }, '--'), ['--+']);
});

test('a changed name replaces the words, and an erasure removes them', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ FirstName: 'Anna', LastName: 'Stone' });
  expectStatus(await tenant.api('PUT', `/user/${LoginID}`, { LastName: 'Rivers', FirstName: null }), 200);
  assert.deepEqual(await found(tenant, 'anna'), []);
  assert.deepEqual(await found(tenant, 'rivers'), [LoginID]);
  expectStatus(await tenant.api('DELETE', `/user/${LoginID}`), 200);
  assert.deepEqual(await found(tenant, 'rivers'), []);
  assert.deepEqual(await stored(tenant), []);
});

test('users created in bulk are found', async () => {
  const tenant = await newTenant(service);
  const rows = people.map((person) => JSON.stringify(person)).join('\n');
  const reply = await tenant.api('POST', '/user/bulk', rows, { 'content-type': 'application/x-ndjson' });
  expectStatus(reply, 200);
  assert.deepEqual(await found(tenant, 'stone anna'), ['A00050']);
});

test('a cursor from another list is rejected', async () => {
  const tenant = await tenantWithPeople();
  for (const key of ['[7,"a","01920000-0000-7000-8000-000000000000"]', '["a",1]', '[0,"a","b"]', '[]', 'x']) {
    const cursor = Buffer.from(JSON.stringify([key])).toString('base64url');
    expectStatus(await tenant.api('GET', `/user?Search=anna&Cursor=${cursor}`), 422);
  }
});
