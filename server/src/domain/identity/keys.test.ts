import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { otherNode, serve } from '../../../test/support/nodes.ts';
import { startService } from '../../../test/support/service.ts';
import { allPages, expectProblem, expectStatus, newTenant } from '../../../test/support/tenant.ts';
import { hasTwoNodes } from '../../../test/support/two-nodes.ts';
import { slackSeconds, untilMatching } from '../../../test/support/until.ts';
import { routes } from '../../app/app.ts';
import { scopes, tenantScopes } from '../../infra/context/scopes.ts';
import { createKey } from './keys.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const { api } = service;
const tenant = await newTenant(service);
const keys = `/tenant/${tenant.TenantID}/key`;

const newKey = async (body: object) => {
  const made = await api('POST', keys, { Name: 'k', ...body });
  expectStatus(made, 201);
  return made.body as { KeyID: string; Secret: string; Scopes: string[] };
};

test("a key's secret is shown once and never again", async () => {
  const made = await api('POST', keys, { Name: 'shop' });
  expectStatus(made, 201);
  const { Secret, ...shown } = made.body;
  assert.match(Secret, /^lectern_[\w-]{43}$/);
  assert.deepEqual(shown.Scopes, [...tenantScopes]);
  assert.equal(shown.TenantID, tenant.TenantID);
  const { items } = await allPages((page) => api('GET', page), keys, 1);
  assert.deepEqual(
    items.find(({ KeyID }) => KeyID === shown.KeyID),
    shown,
  );
  const { rows } = await service.ctx.engine.query<object>({
    text: 'select * from api_key where key_id = $1',
    values: [shown.KeyID],
  });
  for (const text of [JSON.stringify(items), JSON.stringify(rows)]) assert.ok(!text.includes(Secret));
});

test('an invalid key is rejected, and the error names the field', async () => {
  for (const [body, code, param] of [
    [{}, 'validation_failed', 'Name'],
    [{ Name: '' }, 'validation_failed', 'Name'],
    [{ Name: 'x', Scopes: ['users:reed'] }, 'validation_failed', 'Scopes.0'],
    [{ Name: 'x', Scopes: ['tenants:write'] }, 'validation_failed', 'Scopes'],
    [{ Name: 'x', Scopes: ['catalogue:write'] }, 'validation_failed', 'Scopes'],
    [{ Name: 'x', ExpiresAt: 'never' }, 'validation_failed', 'ExpiresAt'],
    [{ Name: 'x', ExpiresAt: '2001-01-01T00:00:00Z' }, 'validation_failed', 'ExpiresAt'],
    [{ Name: 'x', ExpiresAt: '0000-01-01T00:00:00Z' }, 'validation_failed', 'ExpiresAt'],
    [{ Name: 'x', Secret: 'mine' }, 'unknown_field', 'Secret'],
  ] as const)
    expectProblem(await api('POST', keys, body), 422, code, param);
  expectProblem(await api('POST', '/tenant/nobody/key', { Name: 'x' }), 404, 'tenant_not_found');
  expectProblem(await api('GET', '/tenant/nobody/key'), 404, 'tenant_not_found');
});

test('each operation rejects a key that lacks its scope', async () => {
  const secrets = new Map<string, string>();
  for (const scope of scopes) {
    const others = scopes.filter((one) => one !== scope);
    const key = await createKey(service.ctx, { tenantId: null, Name: scope, Scopes: others });
    secrets.set(scope, key.Secret);
  }
  for (const route of routes) {
    if (route.scope === null) continue;
    const address = route.path.replaceAll(/\{\w+\}/g, 'x');
    const headers = { tenant: tenant.TenantID };
    const body = route.method === 'GET' ? undefined : {};
    const reply = await api(route.method, address, body, secrets.get(route.scope), headers);
    expectProblem(reply, 403, 'scope_missing');
    assert.ok(reply.body.detail.includes(route.scope), route.name);
  }
});

test("the operator's operations reject a tenant's key, whatever its scopes", async () => {
  for (const route of routes) {
    if (route.access !== 'operator') continue;
    const address = route.path.replaceAll(/\{\w+\}/g, 'x');
    const body = route.method === 'GET' ? undefined : {};
    expectProblem(await tenant.api(route.method, address, body), 403, 'operator_only');
  }
});

test('a call without a valid key gets 401 and an explanation of how to authenticate', async () => {
  const call = async (authorization?: string) => {
    const response = await fetch(`${service.baseUrl}/user`, {
      headers: authorization ? { authorization } : {},
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  for (const bad of [
    undefined,
    'Bearer',
    `Bearer ${tenant.key}x`,
    `Basic ${Buffer.from(`x:${tenant.key}`).toString('base64')}`,
    `Bearer ${tenant.key} ${tenant.key}`,
    `Bearer ${'a'.repeat(40)}.b.c`,
    tenant.key,
  ]) {
    const refused = await call(bad);
    expectProblem(refused, 401, 'unauthorized');
    assert.equal(refused.headers.get('www-authenticate'), 'Bearer');
    assert.ok(!JSON.stringify(refused.body).includes(tenant.key));
  }
  for (const good of [`Bearer ${tenant.key}`, `bearer  ${tenant.key}`, `Token ${tenant.key}`])
    expectStatus(await call(good), 200);
});

test('a key is rejected once it has expired', async () => {
  const ExpiresAt = new Date(clock.now().getTime() + 3_600_000).toISOString();
  const { Secret } = await newKey({ ExpiresAt });
  expectStatus(await api('GET', '/user', undefined, Secret), 200);
  clock.advance({ hours: 1, seconds: 1 });
  expectProblem(await api('GET', '/user', undefined, Secret), 401, 'unauthorized');
});

test('a revoked key is rejected immediately on this node and within 5 s on others; revoking it again changes nothing', async (t) => {
  if (hasTwoNodes) return t.skip('a request may reach the other node');
  const { KeyID, Secret } = await newKey({});
  const node = await serve(otherNode(service.ctx));
  const elsewhere = async () =>
    (await node.api.inject({ url: '/user', headers: { authorization: `Bearer ${Secret}` } })).statusCode;
  assert.equal(await elsewhere(), 200);
  expectStatus(await api('GET', '/user', undefined, Secret), 200);
  const revoked = await api('DELETE', `${keys}/${KeyID}`);
  const since = performance.now();
  expectStatus(revoked, 200);
  assert.notEqual(revoked.body.RevokedAt, null);
  expectProblem(await api('GET', '/user', undefined, Secret), 401, 'unauthorized');
  await untilMatching(elsewhere, (status) => status === 401);
  assert.ok(performance.now() - since < 1_000 * (5 + slackSeconds));
  await node.close();
  clock.advance({ minutes: 1 });
  assert.deepEqual((await api('DELETE', `${keys}/${KeyID}`)).body.RevokedAt, revoked.body.RevokedAt);
});

test("a key can be revoked only through its own tenant's URL", async () => {
  const other = await newTenant(service);
  const { KeyID, Secret } = await newKey({});
  expectProblem(await api('DELETE', `/tenant/${other.TenantID}/key/${KeyID}`), 404, 'key_not_found');
  expectProblem(await api('DELETE', `${keys}/no-key`), 404, 'key_not_found');
  expectStatus(await api('GET', '/user', undefined, Secret), 200);
});

test('the last use is recorded at most once a minute', async () => {
  const { KeyID, Secret } = await newKey({});
  const lastUse = async () => {
    const { items } = await allPages((page) => api('GET', page), keys, 200);
    return items.find((key) => key.KeyID === KeyID)?.LastUsedAt as string | null;
  };
  assert.equal(await lastUse(), null);
  await api('GET', '/user', undefined, Secret);
  const noted = await untilMatching(lastUse, (at) => at !== null);
  assert.ok(Math.abs(Date.parse(noted ?? '') - clock.now().getTime()) < 60_000);
});
