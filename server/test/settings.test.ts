import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createKey } from '../src/domain/identity/keys.ts';
import type { Scope } from '../src/infra/context/scopes.ts';
import { startService } from './support/service.ts';
import { browser, ownPage, signInOperator, signInUser } from './support/sign-in.ts';
import { expectProblem, expectStatus, newTenant, type TestTenant } from './support/tenant.ts';
import { hasTwoNodes } from './support/two-nodes.ts';

const service = await startService();
after(service.close);

async function withAda(fields: object = {}) {
  const tenant = await newTenant(service, { Name: 'Acme GmbH', Language: 'de' });
  expectStatus(await tenant.api('POST', '/user', { LoginID: 'ada', IsAdmin: true, ...fields }), 201);
  return { tenant, ada: browser(service, await signInUser(service, tenant, 'ada')) };
}

const settingsOf = async ({ TenantID }: TestTenant) => {
  const { Name, Language, Reminders } = (await service.api('GET', `/tenant/${TenantID}`)).body;
  return { Name, Language, Reminders };
};
const standard = {
  ...{ Enabled: false, DaysBefore: [14, 3], OnTheDay: true },
  ...{ WeeklyWhenOverdue: true, ManagerDigest: true },
};
const unchanged = { Name: 'Acme GmbH', Language: 'de', Reminders: standard };

const entriesOf = async (tenant: TestTenant) =>
  (await tenant.api('GET', '/audit?Action=tenant.changed')).body.Items;

test('an administrator changes the language and the days of reminders', async () => {
  const { tenant, ada } = await withAda();
  const { body: before } = await ada('GET', '/settings');
  const { UpdatedAt } = before;
  assert.deepEqual(before, {
    ...{ Language: 'de', TimeZone: 'UTC', Reminders: standard },
    ...{ RequireSignIn: false, SendsMail: false, UpdatedAt },
    ErasedCertificates: { Show: 'course', For: null },
  });
  const changed = await ada('PUT', '/settings', { Reminders: { DaysBefore: [30, 7, 1] } });
  expectStatus(changed, 200);
  assert.deepEqual(await settingsOf(tenant), {
    ...unchanged,
    Reminders: { ...standard, DaysBefore: [30, 7, 1] },
  });
  assert.deepEqual((await tenant.api('GET', '/settings')).body, changed.body);
  expectStatus(await ada('PUT', '/settings', { Language: 'fr', Reminders: { DaysBefore: [] } }), 200);
  assert.deepEqual(await settingsOf(tenant), {
    ...unchanged,
    Language: 'fr',
    Reminders: { ...standard, DaysBefore: [] },
  });

  const [first, second] = await entriesOf(tenant);
  assert.deepEqual([first.Data, first.ActorName], [{ Changed: ['Reminders'] }, 'ada']);
  assert.deepEqual(second.Data, { Changed: ['Language', 'Reminders'] });
});

test("the tenant's pages use the new language, as soon as they have branding", async (t) => {
  if (hasTwoNodes) return t.skip('a request may reach the other node, which knows within seconds');
  const { tenant, ada } = await withAda();
  expectStatus(await ada('PUT', '/branding', { Colour: '#0057b8' }), 200);
  const languageOf = async () =>
    ((await (await fetch(`${service.baseUrl}/branding/${tenant.TenantID}`)).json()) as { Language: string })
      .Language;
  assert.equal(await languageOf(), 'de');
  expectStatus(await ada('PUT', '/settings', { Language: 'fr' }), 200);
  assert.equal(await languageOf(), 'fr');
});

test('other fields of a tenant and invalid values are rejected', async () => {
  const { tenant, ada } = await withAda();
  for (const field of ['Name', 'PasswordHash', 'SecondFactor', 'ReturnOrigins', 'FrameOrigins', 'Status'])
    expectProblem(await ada('PUT', '/settings', { [field]: 'active' }), 422, 'unknown_field', field);
  expectProblem(await ada('PUT', '/settings', { Language: 'xx' }), 422, 'validation_failed', 'Language');
  for (const DaysBefore of [[0], [366], [3, 3], [1.5], [6, 5, 4, 3, 2, 1], null])
    expectProblem(await ada('PUT', '/settings', { Reminders: { DaysBefore } }), 422, 'validation_failed');
  assert.deepEqual(await settingsOf(tenant), unchanged);
});

test('administrators of other tenants, learners and callers without users:admin cannot change them', async () => {
  const { tenant, ada } = await withAda();
  const other = await withAda();
  const body = { Language: 'en' };
  expectStatus(await other.ada('PUT', '/settings', body), 200);
  const named = { ...ownPage, tenant: other.tenant.TenantID };
  expectProblem(await ada('PUT', '/settings', body, named), 403, 'tenant_not_allowed');
  const learner = browser(service, await signInUser(service, tenant, await tenant.user()));
  for (const method of ['GET', 'PUT'])
    expectProblem(await learner(method, '/settings', method === 'PUT' ? body : undefined), 403, 'own_only');
  const { TenantID: tenantId } = tenant;
  const keyWith = async (Scopes: Scope[]) =>
    (await createKey(service.ctx, { tenantId, Name: 'few', Scopes })).Secret;
  const few = await keyWith(['users:read', 'users:write']);
  expectProblem(await service.api('PUT', '/settings', body, few), 403, 'scope_missing');
  expectStatus(await service.api('GET', '/settings', undefined, few), 200);
  const none = await keyWith(['enrolments:read', 'enrolments:write']);
  expectProblem(await service.api('GET', '/settings', undefined, none), 403, 'scope_missing');
  const crossSite = { 'sec-fetch-site': 'cross-site' };
  expectProblem(await ada('PUT', '/settings', body, crossSite), 403, 'cross_site');
  assert.equal((await fetch(`${service.baseUrl}/settings`)).status, 401);
  assert.deepEqual(await settingsOf(tenant), unchanged);
  assert.deepEqual(await entriesOf(tenant), []);
});

test('the operator changes the settings of a tenant that they name', async () => {
  const { tenant } = await withAda();
  const operator = browser(service, await signInOperator(service));
  const body = { Reminders: { DaysBefore: [21] } };
  expectProblem(await operator('PUT', '/settings', body), 400, 'tenant_required');
  expectStatus(await operator('PUT', '/settings', body, { ...ownPage, tenant: tenant.TenantID }), 200);
  assert.deepEqual(await settingsOf(tenant), { ...unchanged, Reminders: { ...standard, DaysBefore: [21] } });
  assert.equal((await entriesOf(tenant))[0].Actor, 'operator');
});

test('concurrent changes of different settings both take effect', async () => {
  const { tenant, ada } = await withAda();
  const changes = [{ Language: 'fr' }, { Reminders: { DaysBefore: [2] } }];
  for (const reply of await Promise.all(changes.map((body) => ada('PUT', '/settings', body))))
    expectStatus(reply, 200);
  assert.deepEqual(await settingsOf(tenant), {
    ...unchanged,
    Language: 'fr',
    Reminders: { ...standard, DaysBefore: [2] },
  });
});
