import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createKey } from '../src/domain/identity/keys.ts';
import { finishDeletions } from '../src/domain/privacy/delete-tenant.ts';
import type { Scope } from '../src/infra/context/scopes.ts';
import { jpeg, png, pngOfSize } from './support/images.ts';
import type { Reply } from './support/send.ts';
import { startService } from './support/service.ts';
import { browser, ownPage, signInOperator, signInUser } from './support/sign-in.ts';
import { expectProblem, expectStatus, newTenant, type TestTenant } from './support/tenant.ts';

const service = await startService();
after(service.close);

const base64 = (image: Buffer) => image.toString('base64');
const logo = base64(png());

async function withAda() {
  const tenant = await newTenant(service, { Name: 'Acme GmbH', Language: 'de' });
  expectStatus(await tenant.api('POST', '/user', { LoginID: 'ada', IsAdmin: true }), 201);
  return { tenant, ada: browser(service, await signInUser(service, tenant, 'ada')) };
}

/** A request without any credentials. */
const anonymous = (path: string, headers: Record<string, string> = {}) =>
  fetch(service.baseUrl + path, { headers });

const pageBranding = async (tenantId: string) =>
  (await (await anonymous(`/branding/${encodeURIComponent(tenantId)}`)).json()) as Reply['body'];

const nothing = { Name: null, Language: null, LogoURL: null, Colour: null, Light: null, Dark: null };

async function entriesOf(tenant: TestTenant): Promise<Reply['body'][]> {
  return (await tenant.api('GET', '/audit?Action=branding.changed')).body.Items;
}

test('an administrator sets a colour and a logo, and everybody can read them', async () => {
  const { tenant, ada } = await withAda();
  const { TenantID } = tenant;
  assert.deepEqual((await ada('GET', '/branding')).body, { Colour: null, Logo: null, UpdatedAt: null });
  assert.deepEqual(await pageBranding(TenantID), nothing);
  assert.deepEqual((await ada('GET', '/session')).body.Branding, nothing);

  const made = await ada('PUT', '/branding', { Colour: '#FFD400', Logo: logo });
  expectStatus(made, 200);
  assert.equal(made.body.Colour, '#ffd400');
  const { URL, ...rest } = made.body.Logo;
  assert.deepEqual(rest, { Type: 'image/png', Width: 64, Height: 32, Bytes: png().length });
  assert.deepEqual((await tenant.api('GET', '/branding')).body, made.body);

  const shown = await pageBranding(TenantID);
  const { Light, Dark, ...names } = shown;
  assert.deepEqual(names, { Name: 'Acme GmbH', Language: 'de', LogoURL: URL, Colour: '#ffd400' });
  assert.equal(Light.OnFill, '#000000');
  assert.equal(Dark.Fill, '#ffd400');
  assert.deepEqual((await ada('GET', '/session')).body.Branding, shown);

  const image = await fetch(URL);
  assert.deepEqual(Buffer.from(await image.arrayBuffer()), png());
  const headers = Object.fromEntries(image.headers);
  assert.equal(headers['content-type'], 'image/png');
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers['content-security-policy'], "default-src 'none'; sandbox");
  assert.match(headers['cache-control'] ?? '', /public.*immutable/);
  assert.equal((await fetch(URL, { headers: { 'if-none-match': headers.etag ?? '' } })).status, 304);

  const [entry] = await entriesOf(tenant);
  assert.deepEqual(entry.Data, { Changed: ['Colour', 'Logo'] });
  assert.equal(entry.ActorName, 'ada');
});

test('a field that is left out keeps its value, and null removes it', async () => {
  const { tenant, ada } = await withAda();
  const put = async (body: object) => {
    const { status, body: changed } = await ada('PUT', '/branding', body);
    assert.equal(status, 200);
    return [changed.Colour, changed.Logo?.Type ?? null];
  };
  assert.deepEqual(await put({ Logo: logo }), [null, 'image/png']);
  assert.deepEqual(await put({ Colour: '#0057b8' }), ['#0057b8', 'image/png']);
  assert.deepEqual(await put({ Logo: base64(jpeg()) }), ['#0057b8', 'image/jpeg']);
  const { LogoURL } = await pageBranding(tenant.TenantID);
  assert.equal((await fetch(LogoURL)).status, 200);
  assert.deepEqual(await put({ Logo: null }), ['#0057b8', null]);
  assert.deepEqual(await put({ Colour: '#0057B8', Logo: null }), ['#0057b8', null]);
  assert.deepEqual(await put({}), ['#0057b8', null]);
  assert.deepEqual(await put({ Colour: null }), [null, null]);
  assert.deepEqual(await pageBranding(tenant.TenantID), nothing);
  const changes = (await entriesOf(tenant)).map(({ Data }) => Data.Changed.join());
  assert.deepEqual(changes.sort(), ['Colour', 'Colour', 'Logo', 'Logo', 'Logo']);
});

test('a page shows a changed name or language immediately', async () => {
  const { tenant, ada } = await withAda();
  expectStatus(await ada('PUT', '/branding', { Colour: '#0057b8' }), 200);
  assert.equal((await pageBranding(tenant.TenantID)).Name, 'Acme GmbH');
  const change = { Name: 'Acme AG', Language: 'fr' };
  expectStatus(await service.api('PUT', `/tenant/${tenant.TenantID}`, change), 200);
  const { Name, Language } = await pageBranding(tenant.TenantID);
  assert.deepEqual({ Name, Language }, change);
});

test('the response does not reveal which tenants exist', async () => {
  const { tenant } = await withAda();
  const answers = await Promise.all(
    [tenant.TenantID, 'no-such-tenant', 'a'.repeat(64)].map((id) => anonymous(`/branding/${id}`)),
  );
  const seen = await Promise.all(
    answers.map(async (answer) => {
      const changing = ['date', 'x-request-id', 'request-id'];
      const headers = [...answer.headers].filter(([name]) => !changing.includes(name));
      return { status: answer.status, headers, body: await answer.text() };
    }),
  );
  for (const one of seen) assert.deepEqual(one, seen[0]);
  assert.equal(seen[0]?.status, 200);
  const name = 'x'.repeat(22);
  for (const id of [tenant.TenantID, 'no-such-tenant'])
    assert.equal((await anonymous(`/branding/${id}/logo/${name}`)).status, 404);
  assert.equal((await anonymous(`/branding/${tenant.TenantID}/logo/${'x'.repeat(23)}`)).status, 422);
});

test('the branding has an ETag', async () => {
  const { tenant, ada } = await withAda();
  const path = `/branding/${tenant.TenantID}`;
  const first = await anonymous(path);
  assert.equal(first.headers.get('cache-control'), 'public, no-cache');
  const known = { 'if-none-match': first.headers.get('etag') ?? '' };
  assert.equal((await anonymous(path, known)).status, 304);
  expectStatus(await ada('PUT', '/branding', { Colour: '#0057b8' }), 200);
  assert.equal((await anonymous(path, known)).status, 200);
});

test('administrators of other tenants, learners and keys without users:admin cannot change it', async () => {
  const { tenant, ada } = await withAda();
  const other = await withAda();
  expectStatus(await other.ada('PUT', '/branding', { Colour: '#112233' }), 200);
  assert.deepEqual(await pageBranding(tenant.TenantID), nothing);
  expectProblem(
    await ada('PUT', '/branding', { Colour: '#112233' }, { ...ownPage, tenant: other.tenant.TenantID }),
    403,
    'tenant_not_allowed',
  );
  const learner = browser(service, await signInUser(service, tenant, await tenant.user()));
  expectProblem(await learner('PUT', '/branding', { Colour: '#112233' }), 403, 'own_only');
  expectProblem(await learner('GET', '/branding'), 403, 'own_only');
  const held: Scope[] = ['users:read', 'users:write', 'catalogue:read'];
  const key = await createKey(service.ctx, { tenantId: tenant.TenantID, Name: 'few', Scopes: held });
  expectProblem(
    await service.api('PUT', '/branding', { Colour: '#112233' }, key.Secret),
    403,
    'scope_missing',
  );
  expectStatus(await service.api('GET', '/branding', undefined, key.Secret), 200);
  expectProblem(
    await ada('PUT', '/branding', { Colour: '#112233' }, { 'sec-fetch-site': 'cross-site' }),
    403,
    'cross_site',
  );
  assert.equal((await anonymous('/branding')).status, 401);
  assert.deepEqual(await pageBranding(tenant.TenantID), nothing);
  assert.deepEqual(await entriesOf(tenant), []);
});

test('the operator changes the branding of a tenant that they name', async () => {
  const { tenant } = await withAda();
  const operator = browser(service, await signInOperator(service));
  const body = { Colour: '#0057b8' };
  expectProblem(await operator('PUT', '/branding', body), 400, 'tenant_required');
  expectStatus(await operator('PUT', '/branding', body, { ...ownPage, tenant: tenant.TenantID }), 200);
  assert.equal((await pageBranding(tenant.TenantID)).Colour, '#0057b8');
  assert.deepEqual((await operator('GET', '/session')).body.Branding, nothing);
  assert.equal((await entriesOf(tenant))[0].Actor, 'operator');
});

test('invalid colours are rejected', async () => {
  const { ada } = await withAda();
  for (const Colour of [
    '',
    'red',
    '#fff',
    '#12345',
    '#1234567',
    '#gggggg',
    '#0057b8;x:y',
    ' #0057b8',
    '#0057b8\n',
    7,
  ])
    expectProblem(await ada('PUT', '/branding', { Colour }), 422, 'validation_failed', 'Colour');
});

test('hostile images are rejected, and nothing is stored', async () => {
  const { tenant, ada } = await withAda();
  const html = '<html><script>alert(1)</script></html>';
  const rejected = [
    Buffer.from(html),
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
    pngOfSize(0, 0),
    pngOfSize(100_000, 100_000),
    png().subarray(0, -20),
  ];
  for (const image of rejected)
    expectProblem(await ada('PUT', '/branding', { Logo: base64(image) }), 422, 'validation_failed', 'Logo');
  for (const Logo of ['', 'not base64!', 'data:image/png;base64,AAAA', 7, [logo]])
    expectProblem(await ada('PUT', '/branding', { Logo }), 422, 'validation_failed', 'Logo');
  const tooLong = 'A'.repeat(200_000);
  expectProblem(await ada('PUT', '/branding', { Logo: tooLong }), 422, 'validation_failed', 'Logo');
  const large = base64(Buffer.alloc(10 * 1024 ** 2));
  expectProblem(await ada('PUT', '/branding', { Logo: large }), 413, 'payload_too_large');
  assert.deepEqual((await ada('GET', '/branding')).body, { Colour: null, Logo: null, UpdatedAt: null });
  assert.deepEqual(await entriesOf(tenant), []);

  const polyglot = Buffer.concat([png(), Buffer.from(html)]);
  const { body } = await ada('PUT', '/branding', { Logo: base64(polyglot) });
  const served = await fetch(body.Logo.URL);
  assert.equal(served.headers.get('content-type'), 'image/png');
  assert.deepEqual(Buffer.from(await served.arrayBuffer()), png());
});

test('concurrent first changes are both kept', async () => {
  const { ada } = await withAda();
  const changes = [{ Colour: '#0057b8' }, { Logo: logo }];
  for (const reply of await Promise.all(changes.map((body) => ada('PUT', '/branding', body))))
    expectStatus(reply, 200);
  const { body } = await ada('GET', '/branding');
  assert.deepEqual([body.Colour, body.Logo.Type], ['#0057b8', 'image/png']);
});

test('an export contains the branding, and deleting the tenant deletes it', async () => {
  const { tenant, ada } = await withAda();
  const { TenantID } = tenant;
  expectStatus(await ada('PUT', '/branding', { Colour: '#0057b8', Logo: logo }), 200);
  const { LogoURL } = await pageBranding(TenantID);
  const exported = (await service.api('GET', `/tenant/${TenantID}/export`)).body as string;
  const line = exported.split('\n').find((text) => text.includes('"Type":"Branding"')) ?? '{}';
  const { Record } = JSON.parse(line);
  assert.equal(Record.Colour, '#0057b8');
  assert.deepEqual(Buffer.from(Record.Logo.data ?? Record.Logo, 'base64'), png());
  expectStatus(await service.api('PUT', `/tenant/${TenantID}`, { Status: 'suspended' }), 200);
  assert.equal((await pageBranding(TenantID)).Colour, '#0057b8');
  const deleted = await service.api('DELETE', `/tenant/${TenantID}`);
  expectStatus(deleted, 200);
  const counted = deleted.body.Deleted.find(({ Data }: { Data: string }) => Data === 'Branding');
  assert.equal(counted.Records, 1);
  assert.deepEqual(await pageBranding(TenantID), nothing);
  assert.ok(LogoURL);
  const later = { ...service.ctx, now: () => new Date(service.ctx.now().getTime() + 60_000) };
  await finishDeletions(later);
  const { rows } = await sql`select 1 from branding where tenant_id = ${TenantID}`.execute(service.ctx.db);
  assert.deepEqual(rows, []);
});
