import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { routes } from '../src/app/app.ts';
import { createKey } from '../src/domain/identity/keys.ts';
import type { Route } from '../src/http/routes.ts';
import { type Scope, scopes, tenantScopes } from '../src/infra/context/scopes.ts';
import type { Reply } from './support/send.ts';
import { startService } from './support/service.ts';
import { browser, ownPage, useLink } from './support/sign-in.ts';
import { expectProblem, expectStatus, newCourse, newTenant, unique } from './support/tenant.ts';

// Checks that no credential can create a more powerful credential.

const service = await startService();
after(service.close);
const tenant = await newTenant(service, { PasswordHash: 'sha256-hex' });
const CourseID = await newCourse(service);
const learner = await tenant.user();
const administrator = await tenant.user({ IsAdmin: true });
const enrolled = await tenant.api('POST', `/enrol/${learner}/${CourseID}`);
const Password = 'ab'.repeat(32);

type Call = (method: string, path: string, body?: unknown) => Promise<Reply>;

const guarded = routes.filter(({ access }) => access !== 'anyone' && access !== 'session');
const neededBy = ({ scope, additionalScopes = [] }: Route) =>
  scope === null ? [] : [scope, ...additionalScopes];
const addressOf = ({ path }: Route, LoginID = 'x') =>
  path.replaceAll('{LoginID}', LoginID).replaceAll(/\{\w+\}/g, 'x');

type KeyCall = Call & { secret: string; id: string };

async function keyWith(Scopes: readonly Scope[]): Promise<KeyCall> {
  const made = await service.api('POST', `/tenant/${tenant.TenantID}/key`, { Name: 'narrow', Scopes });
  expectStatus(made, 201);
  const { Secret: secret, KeyID: id } = made.body;
  const call: Call = (method, path, body) => service.api(method, path, body, secret);
  return Object.assign(call, { secret, id });
}

/** Groups of operations that require the same kind of caller and the same scopes. */
const alike = [
  ...Map.groupBy(guarded, (route) => JSON.stringify([route.access, neededBy(route).sort()])).values(),
];
let turn = 0;
const tried = new Set<Route>();

/**
 * Returns the operations that a credential may call although its creator lacks a scope that they require.
 * Each call of this function tries one operation from each group, and the next call tries another. The whole
 * test tries all operations.
 */
async function unexpectedlyAllowed(
  call: Call,
  heldScopes: readonly Scope[],
  ownLogin: string | null,
): Promise<string[]> {
  const found: string[] = [];
  turn += 1;
  for (const routes of alike) {
    const route = routes[turn % routes.length] as Route;
    const isHeld =
      route.access !== 'operator' && neededBy(route).every((scope) => heldScopes.includes(scope));
    if (isHeld) continue;
    tried.add(route);
    const address = addressOf(route, ownLogin ?? 'x');
    const reply = await call(route.method, address, route.method === 'GET' || route.streams ? undefined : {});
    if (reply.status !== 401 && reply.status !== 403) found.push(route.name);
  }
  return found;
}

const asSession = (cookie: string): Call => browser(service, cookie);

async function passwordSession(LoginID: string, typed: string): Promise<Call | null> {
  const body = { TenantID: tenant.TenantID, LoginID, Password: typed };
  const reply = await service.api('POST', '/session', body, '', ownPage);
  return reply.status === 200 ? asSession(reply.headers.get('set-cookie')?.split(';')[0] ?? '') : null;
}

async function linkSession(call: Call, LoginID: string): Promise<Call | null> {
  const { status, body } = await call('POST', `/user/session/${LoginID}`, {});
  return status === 201 ? asSession(await useLink(service, body.SignInURL)) : null;
}

async function linkedSession(call: Call, { LoginID, InvitationID }: Reply['body']): Promise<Call | null> {
  const link = await call('POST', `/invitation/${LoginID}/${InvitationID}/link`, {});
  if (link.status !== 201) return null;
  const body = { Token: new URL(link.body.InvitationURL).hash.slice(1), Password };
  const reply = await service.api('POST', '/session/invitation', body, '', ownPage);
  expectStatus(reply, 200);
  return asSession(reply.headers.get('set-cookie')?.split(';')[0] ?? '');
}

const token = async (call: KeyCall, scope?: string) =>
  service.api(
    'POST',
    '/oauth/token',
    {
      grant_type: 'client_credentials',
      client_id: call.id,
      client_secret: call.secret,
      ...(scope ? { scope } : {}),
    },
    '',
  );

/**
 * All ways to get a session as an administrator or as another user. `session` is null if the service refuses
 * to create one.
 */
const sessionMethods: Record<string, (call: KeyCall) => Promise<{ session: Call | null; loginId: string }>> =
  {
    'a link for a learner': async (call) => ({ session: await linkSession(call, learner), loginId: learner }),
    'a link for an administrator': async (call) => ({
      session: await linkSession(call, administrator),
      loginId: administrator,
    }),
    'a new administrator with a password': async (call) => {
      const loginId = unique('made');
      await call('POST', '/user', { LoginID: loginId, Password, IsAdmin: true });
      return { session: await passwordSession(loginId, Password), loginId };
    },
    'a new user with a password who becomes an administrator': async (call) => {
      const loginId = unique('raised');
      await call('POST', '/user', { LoginID: loginId, Password });
      const raised = await call('PUT', `/user/${loginId}`, { IsAdmin: true });
      // A learner's session is not counted. It can only read data of the learner, and this key has created
      // the learner.
      const session = raised.status === 200 ? await passwordSession(loginId, Password) : null;
      return { session, loginId };
    },
    'a known password of a learner who becomes an administrator': async (call) => {
      const loginId = await tenant.user({ Password });
      const session = await passwordSession(loginId, Password);
      const raised = await call('PUT', `/user/${loginId}`, { IsAdmin: true });
      return { session: raised.status === 200 ? session : null, loginId };
    },
    'a new password of an administrator': async (call) => {
      const loginId = await tenant.user({ IsAdmin: true });
      await call('PUT', `/user/${loginId}`, { Password });
      return { session: await passwordSession(loginId, Password), loginId };
    },
    'a new password of a learner': async (call) => {
      const loginId = await tenant.user();
      await call('PUT', `/user/${loginId}`, { Password });
      return { session: await passwordSession(loginId, Password), loginId };
    },
    'an invitation of an administrator, with another link': async (call) => {
      const loginId = await tenant.user({ IsAdmin: true });
      const request = { LoginID: loginId };
      const own = await call('POST', '/invitation', request);
      const { body } = own.status === 201 ? own : await tenant.api('POST', '/invitation', request);
      return { session: await linkedSession(call, body), loginId };
    },
    'a new learner with a password, whom the client enrols': async (call) => {
      const loginId = unique('early');
      const made = await call('POST', '/user', { LoginID: loginId, Password });
      if (made.status !== 201) return { session: null, loginId };
      expectStatus(await tenant.api('POST', '/user', { LoginID: loginId }), 200);
      expectStatus(await tenant.api('POST', `/enrol/${loginId}/${CourseID}`), 201);
      const session = await passwordSession(loginId, Password);
      assert.ok(session);
      return { session, loginId };
    },
    'a new administrator in bulk': async (call) => {
      const loginId = unique('bulk');
      const row = `${JSON.stringify({ LoginID: loginId, Password, IsAdmin: true })}\n`;
      const headers = { 'content-type': 'application/x-ndjson' };
      await service.api('POST', '/user/bulk', row, call.secret, headers);
      return { session: await passwordSession(loginId, Password), loginId };
    },
  };

/**
 * Creates a key with the session, and returns what the key may do although the session's creator may not.
 * Then revokes the key.
 */
async function unexpectedlyKeyed(session: Call, own: readonly Scope[]): Promise<string[] | null> {
  const { status, body } = await session('POST', '/key', { Name: 'by a session' });
  if (status !== 201) return null;
  const excess = body.Scopes.filter((scope: Scope) => !own.includes(scope));
  const call: Call = (method, path, sent) => service.api(method, path, sent, body.Secret);
  const found = await unexpectedlyAllowed(call, own, null);
  expectStatus(await session('DELETE', `/key/${body.KeyID}`), 200);
  return [...excess, ...found];
}

/** Calls whose responses may contain a launch link. */
const launching: ((call: Call) => Promise<Reply>)[] = [
  (call) => call('POST', `/enrol/${learner}/${CourseID}`, {}),
  (call) => call('PUT', `/enrolment/${learner}/${enrolled.body.EnrollID}`, {}),
  (call) => call('GET', '/enrolment'),
  (call) => call('GET', `/enrolment/${learner}`),
  (call) => call('GET', `/enrolment/${learner}/${enrolled.body.EnrollID}`),
  (call) => call('GET', `/enrolment/${learner}/${enrolled.body.EnrollID}/explain`),
  (call) => call('GET', `/enrolment/${learner}/${enrolled.body.EnrollID}/timeline`),
  (call) => call('GET', `/user/${learner}/export`),
  (call) => call('GET', `/catalogue/course/${CourseID}/${learner}`),
  (call) => call('GET', '/events?Limit=200'),
  (call) => call('GET', '/overview'),
];

const readsOwn = (loginId: string) => (call: Call) => call('GET', `/enrolment/${loginId}`);

const heldScopes: Scope[][] = [
  ...tenantScopes.map((scope) => [scope]),
  ...tenantScopes.map((scope) => tenantScopes.filter((other) => other !== scope)),
  ...tenantScopes.map((scope) => [...new Set<Scope>(['users:write', 'users:admin', scope])]),
];

test('no credential of any kind, with any scopes, can create a more powerful credential with any operation', async () => {
  const made = new Map<string, number>();
  for (const own of heldScopes) {
    const call = await keyWith(own);
    const wider = scopes.find((scope) => !own.includes(scope)) ?? '';
    assert.equal((await token(call, `${own.join(' ')} ${wider}`)).body.error, 'invalid_scope');
    const { access_token } = (await token(call)).body;
    const asToken: Call = (method, path, body) => service.api(method, path, body, access_token);
    assert.deepEqual(await unexpectedlyAllowed(asToken, own, null), [], `the token of ${own.join(' ')}`);
    for (const [name, way] of Object.entries(sessionMethods)) {
      const { session, loginId } = await way(call);
      if (!session) continue;
      made.set(name, (made.get(name) ?? 0) + 1);
      assert.deepEqual(await unexpectedlyAllowed(session, own, loginId), [], `${name}, by ${own.join(' ')}`);
      const excess = await unexpectedlyKeyed(session, own);
      if (excess) made.set('a key', (made.get('a key') ?? 0) + 1);
      assert.deepEqual(excess ?? [], [], `a key by ${name}, by ${own.join(' ')}`);
      if (own.includes('enrolments:launch')) continue;
      for (const ask of [...launching, readsOwn(loginId)])
        assert.doesNotMatch(JSON.stringify((await ask(session)).body), /\/launch\?/, `${name}, by ${own}`);
    }
    if (own.includes('enrolments:launch')) continue;
    for (const ask of launching)
      assert.doesNotMatch(JSON.stringify((await ask(call)).body), /\/launch\?/, own.join(' '));
  }
  for (const name of [...Object.keys(sessionMethods), 'a key'])
    assert.ok(made.has(name), `${name} was never accepted`);
  const never = guarded.filter((route) => neededBy(route).length > 0 && !tried.has(route));
  assert.deepEqual(
    never.map(({ name }) => name),
    [],
  );
});

test("an operator's key cannot create a key with a scope that it lacks", async () => {
  const keys = `/tenant/${tenant.TenantID}/key`;
  for (const scope of tenantScopes) {
    const Scopes = scopes.filter((other) => other !== scope);
    const { Secret } = await createKey(service.ctx, { tenantId: null, Name: 'narrow', Scopes });
    const make = (body: object) => service.api('POST', keys, { Name: 'x', ...body }, Secret);
    expectProblem(await make({ Scopes: [scope] }), 403, 'scope_missing');
    expectProblem(await make({}), 403, 'scope_missing');
    expectStatus(await make({ Scopes: tenantScopes.filter((other) => other !== scope) }), 201);
  }
});

test('previews, launch links and enrolment keys cannot call the API', async () => {
  const { body: preview } = await tenant.api('POST', `/catalogue/course/${CourseID}/preview`, {});
  const { body: keys } = await tenant.api('POST', '/enrolment/key', {
    CourseIDs: [CourseID],
    DurationIDs: ['standard'],
  });
  const ticket = new URL(preview.PreviewURL).searchParams.get('ticket') ?? '';
  const launch = new URL(enrolled.body.LaunchURL).searchParams.get('key') ?? '';
  for (const secret of [ticket, launch, keys.Items[0].Key, `lectern_${keys.Items[0].Key}`])
    for (const route of guarded)
      expectProblem(
        await service.api(route.method, addressOf(route), undefined, secret),
        401,
        'unauthorized',
      );
});

test("making a user an administrator or setting a password requires users:admin, even for a learner's first password", async () => {
  const call = await keyWith(['users:read', 'users:write']);
  const LoginID = unique('first');
  expectProblem(await call('POST', '/user', { LoginID, Password }), 403, 'scope_missing');
  const row = `${JSON.stringify({ LoginID, Password })}\n`;
  for (const address of ['/user/bulk', '/user/bulk?Plan=true']) {
    const headers = { 'content-type': 'application/x-ndjson' };
    const many = await service.api('POST', address, row, call.secret, headers);
    assert.match(String(many.body), /"code":"scope_missing"/);
  }
  expectProblem(await tenant.api('GET', `/user/${LoginID}`), 404, 'user_not_found');
  expectStatus(await call('POST', '/user', { LoginID, Password: null }), 201);
  expectProblem(await call('POST', '/user', { LoginID, Password }), 403, 'scope_missing');
  for (const change of [{ Password }, { Password: null }, { IsAdmin: true }])
    expectProblem(await call('PUT', `/user/${LoginID}`, change), 403, 'scope_missing');
  expectStatus(await call('PUT', `/user/${LoginID}`, { IsAdmin: false, Enabled: false }), 200);
  expectProblem(await call('POST', '/user', { LoginID: 'a', IsAdmin: true }), 403, 'scope_missing');
  for (const change of [{}, { FirstName: 'x' }, { Enabled: false }, { IsAdmin: false }])
    expectProblem(await call('PUT', `/user/${administrator}`, change), 403, 'scope_missing');
  expectProblem(await call('DELETE', `/user/${administrator}?Plan=true`), 403, 'scope_missing');
  expectProblem(await call('DELETE', `/user/${administrator}`), 403, 'scope_missing');
  expectProblem(await call('POST', `/user/session/${administrator}`), 403, 'scope_missing');
  const wide = await keyWith(['users:read', 'users:write', 'users:admin']);
  expectStatus(await wide('PUT', `/user/${LoginID}`, { Password }), 200);
  expectStatus(await wide('PUT', `/user/${administrator}`, { Enabled: false }), 200);
  expectStatus(await wide('PUT', `/user/${administrator}`, { Enabled: true }), 200);
  expectStatus(await wide('POST', `/user/session/${administrator}`), 201);
  expectStatus(await wide('DELETE', `/user/${await tenant.user({ IsAdmin: true })}`), 200);
});

test('a key without enrolments:launch gets null for LaunchURL, even in bulk calls and exports', async () => {
  const call = await keyWith(['enrolments:read', 'enrolments:write']);
  const LoginID = await tenant.user();
  const single = await call('POST', `/enrol/${LoginID}/${CourseID}`, {});
  expectStatus(single, 201);
  assert.equal(single.body.LaunchURL, null);
  assert.match(
    (await tenant.api('GET', `/enrolment/${LoginID}?Include=LaunchURL`)).body.Items[0].LaunchURL,
    /\/launch\?/,
  );
  const row = `${JSON.stringify({ LoginID: await tenant.user(), CourseID })}\n`;
  for (const accept of ['application/x-ndjson', 'text/csv']) {
    const headers = { 'content-type': 'application/x-ndjson', accept };
    const many = await service.api('POST', '/enrol/bulk', row, call.secret, headers);
    expectStatus(many, 200);
    assert.doesNotMatch(JSON.stringify(many.body), /\/launch\?/);
    const listed = await service.api('GET', '/enrolment', undefined, call.secret, { accept });
    expectStatus(listed, 200);
    assert.ok(String(listed.body).includes(LoginID));
    assert.doesNotMatch(String(listed.body), /\/launch\?/);
  }
  const { body: keys } = await tenant.api('POST', '/enrolment/key', {
    CourseIDs: [CourseID],
    DurationIDs: ['standard'],
  });
  const redeemed = await call('POST', `/enrol/key/${await tenant.user()}/${keys.Items[0].Key}`, {});
  expectStatus(redeemed, 201);
  assert.equal(redeemed.body.Enrolments[0].LaunchURL, null);
});

test("a stored response is not replayed to a key with other scopes, so that no key gets another key's links", async () => {
  const narrow = await keyWith(['users:write', 'enrolments:write']);
  const retry = { 'idempotency-key': unique('retry') };
  const LoginID = await tenant.user();
  for (const [path, body] of [
    [`/enrol/${LoginID}/${CourseID}`, {}],
    [`/user/session/${administrator}`, {}],
  ] as const) {
    expectStatus(await tenant.api('POST', path, body, retry), 201);
    const again = await service.api('POST', path, body, narrow.secret, retry);
    assert.ok(again.status >= 400, JSON.stringify(again.body));
    retry['idempotency-key'] = unique('retry');
  }
});

test('creating a webhook requires events:read in addition to webhooks:write, because webhooks receive events', async () => {
  const call = await keyWith(tenantScopes.filter((scope) => scope !== 'events:read'));
  for (const route of routes.filter(({ path }) => path.startsWith('/webhook')))
    expectProblem(
      await call(route.method, addressOf(route), route.method === 'GET' ? undefined : {}),
      403,
      'scope_missing',
    );
});

test('an administrator has all permissions in the tenant, even after signing in with a password', async () => {
  const LoginID = await tenant.user({ IsAdmin: true, Password });
  for (const session of [await passwordSession(LoginID, Password), await linkSession(tenant.api, LoginID)]) {
    assert.ok(session);
    for (const route of guarded.filter(({ access }) => access !== 'operator')) {
      const reply = await session(route.method, addressOf(route), route.method === 'GET' ? undefined : {});
      assert.ok(![401, 403].includes(reply.status), `${route.name} ${JSON.stringify(reply.body)}`);
    }
    assert.match(
      (await session('GET', '/enrolment?Include=LaunchURL')).body.Items[0].LaunchURL,
      /\/launch\?/,
    );
  }
});

test('a key with all scopes can remove the limits of an administrator created by a key with few scopes', async () => {
  const narrow = await keyWith(['users:write', 'users:admin']);
  const LoginID = unique('narrow');
  expectStatus(await narrow('POST', '/user', { LoginID, Password, IsAdmin: true }), 201);
  const session = await passwordSession(LoginID, Password);
  assert.ok(session);
  expectProblem(await session('GET', '/enrolment'), 403, 'scope_missing');
  expectStatus(await narrow('PUT', `/user/${LoginID}`, { IsAdmin: true }), 200);
  expectProblem(await session('GET', '/enrolment'), 403, 'scope_missing');
  expectStatus(await tenant.api('PUT', `/user/${LoginID}`, { IsAdmin: true }), 200);
  expectStatus(await session('GET', '/enrolment'), 200);
});

test('a learner has only the scopes of the key that set the password, until a key with all scopes sets another password', async () => {
  const narrow = await keyWith(['users:write', 'users:admin', 'enrolments:read']);
  const LoginID = await tenant.user();
  expectStatus(await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`), 201);
  expectStatus(await narrow('PUT', `/user/${LoginID}`, { Password }), 200);
  const session = await passwordSession(LoginID, Password);
  const listed = await session?.('GET', `/enrolment/${LoginID}`);
  assert.equal(listed?.body.Items[0].LaunchURL, null);
  const withLinks = `/enrolment/${LoginID}?Include=LaunchURL`;
  assert.equal((await session?.('GET', withLinks))?.status, 403);
  const another = 'cd'.repeat(32);
  expectStatus(await tenant.api('PUT', `/user/${LoginID}`, { Password: another }), 200);
  const full = await passwordSession(LoginID, another);
  assert.match((await full?.('GET', withLinks))?.body.Items[0].LaunchURL, /\/launch\?/);
});
