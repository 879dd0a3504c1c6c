import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Statement } from '../src/db/engine/engine.ts';
import { forTenant } from '../src/db/transaction.ts';
import { createKey } from '../src/domain/identity/keys.ts';
import { createOwnKey, maxKeys } from '../src/domain/identity/own-keys.ts';
import { type Scope, scopes, tenantScopes } from '../src/infra/context/scopes.ts';
import { movableClock } from './support/clock.ts';
import { observed } from './support/nodes.ts';
import { maxVisitedBy } from './support/plans.ts';
import type { Reply } from './support/send.ts';
import { startService } from './support/service.ts';
import { browser, ownPage, signInOperator, signInUser } from './support/sign-in.ts';
import {
  allPages,
  expectProblem,
  expectStatus,
  newTenant,
  type TestTenant,
  unique,
} from './support/tenant.ts';

// Tests the keys that a tenant's administrators create for their own tenant.

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);

type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Reply>;

const sessionOf = async (tenant: TestTenant, LoginID: string): Promise<Call> =>
  browser(service, await signInUser(service, tenant, LoginID));

/** A tenant with an administrator called Ada. */
async function withAda() {
  const tenant = await newTenant(service, { PasswordHash: 'sha256-hex' });
  expectStatus(await tenant.api('POST', '/user', { LoginID: 'ada', IsAdmin: true }), 201);
  return { tenant, ada: await sessionOf(tenant, 'ada') };
}

const withKey =
  (secret: string): Call =>
  (method, path, body, headers) =>
    service.api(method, path, body, secret, headers);

async function newKey(call: Call, body: object = {}) {
  const made = await call('POST', '/key', { Name: 'HR', ...body });
  expectStatus(made, 201);
  return made.body as { KeyID: string; Secret: string; Scopes: Scope[]; [field: string]: unknown };
}

const listed = async (call: Call) => (await allPages((page) => call('GET', page), '/key', 2)).items;

test('an administrator creates a working key, sees who created it, and revokes it', async () => {
  const { tenant, ada } = await withAda();
  const ExpiresAt = '2050-01-01T00:00:00.000Z';
  const made = await ada('POST', '/key', { Name: 'HR', Scopes: ['users:read'], ExpiresAt });
  expectStatus(made, 201);
  const { Secret, ...key } = made.body;
  const { KeyID } = key;
  assert.equal(made.headers.get('location'), `/key/${KeyID}`);
  const { CreatedAt, ...rest } = key;
  assert.deepEqual(rest, {
    ...{ KeyID, TenantID: tenant.TenantID, Name: 'HR', Scopes: ['users:read'], ExpiresAt },
    ...{ CreatedBy: 'administrator', CreatorLoginID: 'ada', LastUsedAt: null, RevokedAt: null },
  });
  assert.ok(clock.now().getTime() - Date.parse(CreatedAt) < 60_000);
  const call = withKey(Secret);
  expectStatus(await call('GET', '/user'), 200);
  expectProblem(await call('GET', '/enrolment'), 403, 'scope_missing');

  const own = await listed(ada);
  const creators = own.map(({ Name, CreatedBy, CreatorLoginID }) => [Name, CreatedBy, CreatorLoginID]);
  assert.deepEqual(creators, [
    ['test', 'operator', null],
    ['HR', 'administrator', 'ada'],
  ]);
  assert.ok(!JSON.stringify(own).includes(Secret));
  assert.deepEqual((await service.api('GET', `/tenant/${tenant.TenantID}/key`)).body.Items, own);

  clock.advance({ minutes: 1 });
  const revoked = await ada('DELETE', `/key/${KeyID}`);
  expectStatus(revoked, 200);
  assert.equal(revoked.body.CreatorLoginID, 'ada');
  assert.ok(revoked.body.RevokedAt > CreatedAt);
  expectProblem(await call('GET', '/user'), 401, 'unauthorized');
  assert.deepEqual((await ada('DELETE', `/key/${KeyID}`)).body.RevokedAt, revoked.body.RevokedAt);
});

test('the audit trail names the administrator who created or revoked a key', async () => {
  const { tenant, ada } = await withAda();
  const { KeyID } = await newKey(ada, { Scopes: ['audit:read'] });
  expectStatus(await ada('DELETE', `/key/${KeyID}`), 200);
  const { body } = await tenant.api('GET', `/audit?TargetID=${KeyID}`);
  const entries = (body.Items as Reply['body'][]).map(({ Action, Actor, ActorName, TargetName, Data }) => ({
    ...{ Action, Actor, ActorName, TargetName, Data },
  }));
  const by = { Actor: 'administrator', ActorName: 'ada', TargetName: 'HR' };
  assert.deepEqual(entries, [
    { Action: 'key.created', ...by, Data: { Scopes: ['audit:read'], ExpiresAt: null } },
    { Action: 'key.revoked', ...by, Data: {} },
  ]);
});

test('a key created without Scopes has all scopes of an administrator, but none of the operator-only scopes', async () => {
  const { ada } = await withAda();
  assert.deepEqual((await newKey(ada)).Scopes, [...tenantScopes]);
  assert.deepEqual((await ada('GET', '/session')).body.Scopes, [...tenantScopes]);
  for (const scope of scopes.filter((scope) => !tenantScopes.includes(scope)))
    expectProblem(
      await ada('POST', '/key', { Name: 'x', Scopes: ['users:read', scope] }),
      422,
      'validation_failed',
      'Scopes',
    );
});

test('an administrator whose session has few scopes cannot create a key with more scopes', async () => {
  const { tenant } = await withAda();
  const held: Scope[] = ['users:read', 'users:write', 'users:admin'];
  const maker = await createKey(service.ctx, { tenantId: tenant.TenantID, Name: 'few', Scopes: held });
  const Password = 'ab'.repeat(32);
  const link = await withKey(maker.Secret)('POST', '/user/session/ada');
  expectStatus(link, 201);
  const byLink = await sessionOf({ ...tenant, api: withKey(maker.Secret) }, 'ada');
  const LoginID = unique('narrow');
  const narrow = { LoginID, Password, IsAdmin: true };
  expectStatus(await withKey(maker.Secret)('POST', '/user', narrow), 201);
  const body = { TenantID: tenant.TenantID, LoginID, Password };
  const signedIn = await service.api('POST', '/session', body, '', ownPage);
  expectStatus(signedIn, 200);
  const byPassword = browser(service, signedIn.headers.get('set-cookie')?.split(';')[0] ?? '');
  for (const session of [byLink, byPassword]) {
    assert.deepEqual((await session('GET', '/session')).body.Scopes, held);
    assert.deepEqual((await newKey(session)).Scopes, held);
    for (const scope of tenantScopes.filter((scope) => !held.includes(scope)))
      expectProblem(
        await session('POST', '/key', { Name: 'x', Scopes: ['users:read', scope] }),
        403,
        'scope_missing',
      );
  }
});

test('keys cannot be managed with a key of any scope, by a learner or from another site', async () => {
  const { tenant, ada } = await withAda();
  const { KeyID, Secret } = await newKey(ada);
  const token = await service.api(
    'POST',
    '/oauth/token',
    { grant_type: 'client_credentials', client_id: KeyID, client_secret: Secret },
    '',
  );
  const ofTenant = { tenant: tenant.TenantID };
  const learner = await sessionOf(tenant, await tenant.user());
  const calls: [Call, number, string][] = [
    [withKey(Secret), 403, 'session_required'],
    [withKey(token.body.access_token), 403, 'session_required'],
    [(method, path, body) => service.api(method, path, body, undefined, ofTenant), 403, 'session_required'],
    [learner, 403, 'own_only'],
    [(method, path, body) => ada(method, path, body, { 'sec-fetch-site': 'same-site' }), 403, 'cross_site'],
  ];
  for (const [call, status, code] of calls) {
    expectProblem(await call('POST', '/key', { Name: 'x' }), status, code);
    expectProblem(await call('GET', '/key'), status, code);
    expectProblem(await call('DELETE', `/key/${KeyID}`), status, code);
  }
  assert.equal((await listed(ada)).length, 2);
});

test("another tenant's keys are neither listed nor revoked, and the header cannot name another tenant", async () => {
  const { ada } = await withAda();
  const other = await withAda();
  const { KeyID, Secret } = await newKey(other.ada);
  expectProblem(await ada('DELETE', `/key/${KeyID}`), 404, 'key_not_found');
  const operators = await createKey(service.ctx, { tenantId: null, Name: 'operator' });
  expectProblem(await ada('DELETE', `/key/${operators.KeyID}`), 404, 'key_not_found');
  expectProblem(await ada('DELETE', '/key/none'), 404, 'key_not_found');
  assert.ok((await listed(ada)).every((key) => key.KeyID !== KeyID));
  const headers = { ...ownPage, tenant: other.tenant.TenantID };
  expectProblem(await ada('POST', '/key', { Name: 'x' }, headers), 403, 'tenant_not_allowed');
  expectStatus(await withKey(Secret)('GET', '/user'), 200);
});

test('a signed-in operator manages the keys of the tenant in the header', async () => {
  const { tenant, ada } = await withAda();
  const page = browser(service, await signInOperator(service));
  const headers = { ...ownPage, tenant: tenant.TenantID };
  const operator: Call = (method, path, body) => page(method, path, body, headers);
  const { KeyID, ...key } = await newKey(operator);
  assert.deepEqual([key.TenantID, key.CreatedBy, key.CreatorLoginID], [tenant.TenantID, 'operator', null]);
  assert.deepEqual(key.Scopes, [...tenantScopes]);
  assert.ok((await listed(ada)).some((one) => one.KeyID === KeyID));
  expectStatus(await operator('DELETE', `/key/${KeyID}`), 200);
  expectProblem(await page('GET', '/key'), 400, 'tenant_required');
});

test('a key belongs to the tenant: it keeps working if its creator stops being an administrator, is disabled or is erased', async () => {
  const { tenant, ada } = await withAda();
  const eve = await sessionOf(tenant, await tenant.user({ IsAdmin: true }));
  const { KeyID, Secret } = await newKey(ada);
  const works = async () => expectStatus(await withKey(Secret)('GET', '/user'), 200);
  const creator = async () => {
    const found = (await listed(eve)).find((key) => key.KeyID === KeyID);
    return [found?.CreatedBy, found?.CreatorLoginID];
  };
  const changed = async (change: object) => expectStatus(await tenant.api('PUT', '/user/ada', change), 200);
  await changed({ IsAdmin: false });
  expectProblem(await ada('POST', '/key', { Name: 'x' }), 403, 'own_only');
  expectProblem(await ada('GET', '/key'), 403, 'own_only');
  await works();
  await changed({ IsAdmin: true, Enabled: false });
  expectProblem(await ada('POST', '/key', { Name: 'x' }), 401, 'signed_out');
  await works();
  assert.deepEqual(await creator(), ['administrator', 'ada']);
  expectStatus(await tenant.api('DELETE', '/user/ada'), 200);
  await works();
  assert.deepEqual(await creator(), ['administrator', null]);
  expectStatus(await eve('DELETE', `/key/${KeyID}`), 200);
  expectProblem(await withKey(Secret)('GET', '/user'), 401, 'unauthorized');
});

test('a suspended tenant cannot manage keys, and its keys work again when it is resumed', async () => {
  const { tenant, ada } = await withAda();
  const { Secret } = await newKey(ada);
  const status = (Status: string) => service.api('PUT', `/tenant/${tenant.TenantID}`, { Status });
  expectStatus(await status('suspended'), 200);
  expectProblem(await ada('POST', '/key', { Name: 'x' }), 403, 'tenant_suspended');
  expectProblem(await ada('GET', '/key'), 403, 'tenant_suspended');
  expectStatus(await status('active'), 200);
  assert.equal((await listed(ada)).length, 2);
  clock.advance({ seconds: 5 });
  expectStatus(await withKey(Secret)('GET', '/user'), 200);
});

test('an invalid key is rejected, and the error names the field', async () => {
  const { ada } = await withAda();
  for (const [body, code, param] of [
    [{}, 'validation_failed', 'Name'],
    [{ Name: '' }, 'validation_failed', 'Name'],
    [{ Name: 'x', Scopes: ['users:reed'] }, 'validation_failed', 'Scopes.0'],
    [{ Name: 'x', ExpiresAt: 'never' }, 'validation_failed', 'ExpiresAt'],
    [{ Name: 'x', ExpiresAt: '2001-01-01T00:00:00Z' }, 'validation_failed', 'ExpiresAt'],
    [{ Name: 'x', Secret: 'mine' }, 'unknown_field', 'Secret'],
    [{ Name: 'x', TenantID: 'other' }, 'unknown_field', 'TenantID'],
  ] as const)
    expectProblem(await ada('POST', '/key', body), 422, code, param);
});

test('a retry with an Idempotency-Key returns the same key and creates no second one', async () => {
  const { tenant, ada } = await withAda();
  const headers = { ...ownPage, 'idempotency-key': unique('retry') };
  const create = (call: Call) => call('POST', '/key', { Name: 'once' }, headers);
  const [first, again] = [await create(ada), await create(ada)];
  for (const reply of [first, again]) expectStatus(reply, 201);
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  assert.deepEqual(again.body, first.body);
  assert.equal((await listed(ada)).length, 2);
  const [row] = await service.ctx.db
    .selectFrom('stored_answer')
    .select('answer')
    .where('tenant_id', '=', tenant.TenantID)
    .execute();
  assert.ok(row?.answer && !row.answer.includes(first.body.Secret));
  const learner = await sessionOf(tenant, await tenant.user());
  expectProblem(await create(learner), 403, 'own_only');
});

test('a tenant has a limited number of usable keys, even if they are created at the same time', async () => {
  const { tenant, ada } = await withAda();
  const make = () => createKey(service.ctx, { tenantId: tenant.TenantID, Name: 'filler' });
  const unusable = await make();
  expectStatus(await ada('DELETE', `/key/${unusable.KeyID}`), 200);
  const soon = new Date(clock.now().getTime() + 60_000).toISOString();
  await createKey(service.ctx, { tenantId: tenant.TenantID, Name: 'short', ExpiresAt: soon });
  const fillers = [];
  for (let count = 2; count < maxKeys - 1; count++) fillers.push(await make());
  const create = (headers: Record<string, string> = ownPage) => ada('POST', '/key', { Name: 'x' }, headers);
  const replies = await Promise.all([create(), create(), create()]);
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409, 409]);
  expectProblem(await create({ ...ownPage, 'idempotency-key': unique('full') }), 409, 'key_limit');
  const usable = async () =>
    (await listed(ada)).filter(
      ({ RevokedAt, ExpiresAt }) =>
        !RevokedAt && !(ExpiresAt && Date.parse(ExpiresAt) <= clock.now().getTime()),
    ).length;
  assert.equal(await usable(), maxKeys);
  expectStatus(await ada('DELETE', `/key/${fillers[0]?.KeyID}`), 200);
  expectStatus(await create(), 201);
  expectProblem(await create(), 409, 'key_limit');
  clock.advance({ minutes: 1 });
  expectStatus(await create(), 201);
  // The operator is not limited.
  await make();
  assert.equal(await usable(), maxKeys + 1);
});

test('counting the usable keys does not read the expired ones', async () => {
  const { TenantID } = await newTenant(service);
  await service.ctx.engine.query({
    text: `/* across tenants: a test fills tables */
      insert into api_key (key_id, tenant_id, name, secret_hash, scopes, created_at, expires_at)
      select gen_random_uuid(), $1, 'expired', gen_random_uuid()::text, '{}', $2, $2 from generate_series(1, 2000)`,
    values: [TenantID, new Date(clock.now().getTime() - 1_000)],
  });
  await service.ctx.engine.script('analyze api_key');
  const seen: Statement[] = [];
  const ctx = forTenant(
    observed(service.ctx, (statement) => void seen.push(statement)),
    TenantID,
  );
  await createOwnKey(ctx, { Name: 'new' });
  const counts = seen.filter(({ text }) => text.startsWith('select') && text.includes('api_key'));
  assert.equal(counts.length, 1);
  for (const count of counts) assert.ok((await maxVisitedBy(service.ctx.engine, count)) <= maxKeys + 1);
});
