import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { allPages, expectProblem, expectStatus, newTenant, unique } from '../../../test/support/tenant.ts';
import { path } from '../../http/routes.ts';

const service = await startService();
after(service.close);
const { api } = service;

test('a TenantID alone creates a tenant with all defaults', async () => {
  const TenantID = unique('Ämter/1');
  const made = await api('POST', '/tenant', { TenantID });
  expectStatus(made, 201);
  const { CreatedAt, UpdatedAt, ...rest } = made.body;
  const defaults = {
    Status: 'active',
    PasswordHash: 'opaque',
    SecondFactor: 'optional',
    Language: 'en',
    TimeZone: 'UTC',
    Reminders: {
      ...{ Enabled: false, DaysBefore: [14, 3], OnTheDay: true },
      ...{ WeeklyWhenOverdue: true, ManagerDigest: true },
    },
    RequireSignIn: false,
    ErasedCertificates: { Show: 'course', For: null },
    ReturnOrigins: null,
    FrameOrigins: null,
    IssuerDomains: [],
  };
  assert.deepEqual(rest, { TenantID, Name: TenantID, ...defaults });
  assert.deepEqual((await api('GET', made.headers.get('location') ?? '')).body, made.body);
});

test('repeating the request is safe, but different data gets 409 with the names of the differing fields', async () => {
  const body = { TenantID: unique('retry'), Name: 'A', FrameOrigins: ['https://a.example'] };
  const made = await api('POST', '/tenant', body);
  expectStatus(made, 201);
  const again = await api('POST', '/tenant', body);
  expectStatus(again, 200);
  assert.deepEqual(again.body, made.body);
  const refused = await api('POST', '/tenant', { ...body, Name: 'B', PasswordHash: 'md5-hex' });
  expectProblem(refused, 409, 'tenant_exists');
  assert.deepEqual(refused.body.differs.sort(), ['Name', 'PasswordHash']);
});

test('a tenant can be used as soon as it is created, even if a look-up has just failed to find it', async () => {
  const TenantID = unique('early');
  const call = () => api('GET', '/user', undefined, undefined, { tenant: TenantID });
  expectProblem(await call(), 404, 'tenant_not_found');
  await api('POST', '/tenant', { TenantID });
  expectStatus(await call(), 200);
});

test('PUT changes the fields sent and takes effect immediately', async () => {
  const TenantID = unique('changed');
  await api('POST', '/tenant', { TenantID, Name: 'A', ReturnOrigins: ['https://a.example'] });
  const changed = await api('PUT', path`/tenant/${TenantID}`, {
    PasswordHash: 'md5-hex',
    ReturnOrigins: null,
  });
  expectStatus(changed, 200);
  const { Name, PasswordHash, ReturnOrigins } = changed.body;
  assert.deepEqual([Name, PasswordHash, ReturnOrigins], ['A', 'md5-hex', null]);
  const body = { LoginID: 'x', Password: 'plain' };
  const refused = await api('POST', '/user', body, undefined, { tenant: TenantID });
  expectProblem(refused, 422, 'password_not_hashed');
  expectProblem(await api('PUT', '/tenant/nobody', { Name: 'x' }), 404, 'tenant_not_found');
  expectProblem(await api('GET', '/tenant/nobody'), 404, 'tenant_not_found');
});

test('an invalid tenant is rejected, and the error names the field', async () => {
  const TenantID = unique('bad');
  for (const [body, code, param] of [
    [{}, 'validation_failed', 'TenantID'],
    [{ TenantID: 'a\nb' }, 'validation_failed', 'TenantID'],
    [{ TenantID, Name: '' }, 'validation_failed', 'Name'],
    [{ TenantID, PasswordHash: 'bcrypt' }, 'validation_failed', 'PasswordHash'],
    [{ TenantID, ReturnOrigins: ['https://a.example/path'] }, 'validation_failed', 'ReturnOrigins.0'],
    [{ TenantID, ReturnOrigins: ['https://a b'] }, 'validation_failed', 'ReturnOrigins.0'],
    [{ TenantID, ReturnOrigins: ['javascript:alert(1)'] }, 'validation_failed', 'ReturnOrigins.0'],
    [{ TenantID, FrameOrigins: ["https://a.example; script-src 'unsafe-inline'"] }, 'validation_failed', ''],
    [{ TenantID, FrameOrigins: ['https://a.example;'] }, 'validation_failed', 'FrameOrigins.0'],
    [{ TenantID, FrameOrigins: ['https://a.example,b'] }, 'validation_failed', 'FrameOrigins.0'],
    [{ TenantID, FrameOrigins: ['https://ü.example'] }, 'validation_failed', 'FrameOrigins.0'],
    [{ TenantID, ReturnOrigins: ['https://%'] }, 'validation_failed', 'ReturnOrigins.0'],
    [{ TenantID, ReturnOrigins: ['https://*.example'] }, 'validation_failed', 'ReturnOrigins.0'],
    [{ TenantID, Nmae: 'x' }, 'unknown_field', 'Nmae'],
  ] as const)
    expectProblem(await api('POST', '/tenant', body), 422, code, param || undefined);
  expectProblem(await api('GET', `/tenant/${TenantID}`), 404, 'tenant_not_found');
});

test('the list contains each tenant once', async () => {
  const own = [unique('list'), unique('list'), unique('list')];
  for (const TenantID of own) await api('POST', '/tenant', { TenantID });
  const { items } = await allPages((page) => api('GET', page), '/tenant');
  const ids = items.map(({ TenantID }) => TenantID);
  assert.equal(new Set(ids).size, ids.length);
  for (const TenantID of own) assert.ok(ids.includes(TenantID));
});

test('Count returns the number of tenants that match the search, on the first page only', async () => {
  const prefix = unique('counted');
  for (const n of [1, 2, 3]) await api('POST', '/tenant', { TenantID: `${prefix}-${n}` });
  const first = (await api('GET', `/tenant?Search=${prefix}&Count=true&Limit=2`)).body;
  assert.deepEqual(first.Count, { Records: 3, More: false });
  assert.equal(first.Items.length, 2);
  const rest = (await api('GET', `/tenant?Search=${prefix}&Count=true&Cursor=${first.NextCursor}`)).body;
  assert.equal('Count' in rest, false);
  assert.equal(rest.Items.length, 1);
  assert.equal('Count' in (await api('GET', `/tenant?Search=${prefix}`)).body, false);
  const none = (await api('GET', `/tenant?Search=${prefix}%25&Count=true`)).body;
  assert.deepEqual(none.Count, { Records: 0, More: false });
});

test("an operator selects the tenant with a header; a tenant's key needs none and cannot select another tenant", async () => {
  const one = await newTenant(service);
  const two = await newTenant(service);
  const LoginID = await one.user();
  const asOperator = (headers: Record<string, string>) =>
    fetch(`${service.baseUrl}/user/${LoginID}`, {
      headers: { authorization: `Bearer ${service.operatorKey}`, ...headers },
    }).then(async (response) => ({
      status: response.status,
      headers: response.headers,
      body: await response.json(),
    }));
  expectProblem(await asOperator({}), 400, 'tenant_required', 'Tenant');
  expectProblem(await asOperator({ tenant: '' }), 400, 'tenant_required', 'Tenant');
  expectProblem(await asOperator({ tenant: 'nobody' }), 404, 'tenant_not_found');
  expectProblem(await asOperator({ tenant: two.TenantID }), 404, 'user_not_found');
  expectStatus(await asOperator({ tenant: one.TenantID }), 200);
  expectStatus(await one.api('GET', `/user/${LoginID}`, undefined, { tenant: one.TenantID }), 200);
  const foreign = await one.api('GET', `/user/${LoginID}`, undefined, { tenant: two.TenantID });
  expectProblem(foreign, 403, 'tenant_not_allowed');
  for (const odd of ['%00', '%zz', '%E4'])
    expectProblem(await asOperator({ tenant: odd }), 404, 'tenant_not_found');
});
