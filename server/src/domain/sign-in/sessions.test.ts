import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { movableClock } from '../../../test/support/clock.ts';
import { otherNode, serve } from '../../../test/support/nodes.ts';
import { startService } from '../../../test/support/service.ts';
import { browser, press as pressOf, signInUser, tokenOf } from '../../../test/support/sign-in.ts';
import { expectProblem, expectStatus, newTenant, unique } from '../../../test/support/tenant.ts';
import { tenantScopes } from '../../infra/context/scopes.ts';
import { noBranding } from '../tenants/branding.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const tenant = await newTenant(service);
const { api, user, TenantID } = tenant;

async function newLink(LoginID: string, body?: object): Promise<string> {
  const reply = await api('POST', `/user/session/${LoginID}`, body);
  expectStatus(reply, 201);
  return reply.body.SignInURL;
}

const press = (url: string, headers?: Record<string, string>) => pressOf(service, url, headers);
const signIn = (LoginID: string) => signInUser(service, tenant, LoginID);
const session = (cookie: string, method = 'GET', query = '') =>
  browser(service, cookie)(method, `/session${query}`);

test("confirming on the link's page signs in once and sets a cookie", async () => {
  const LoginID = await user({ FirstName: 'Ann', IsAdmin: true });
  const made = await api('POST', `/user/session/${LoginID}`, { Path: '/console?tab=1' });
  expectStatus(made, 201);
  assert.equal(Math.round((Date.parse(made.body.ExpiresAt) - clock.now().getTime()) / 1000), 60);
  const url = made.body.SignInURL;
  for (let n = 0; n < 3; n++) {
    const page = await fetch(url);
    assert.equal(page.status, 200);
    assert.equal(page.headers.get('set-cookie'), null);
    assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    assert.equal(page.headers.get('cache-control'), 'no-store');
    assert.match(await page.text(), /<form method="post" action="\/session\/sign-in">.*<button>/);
  }
  const pressed = await press(url);
  assert.equal(pressed.status, 303);
  assert.equal(pressed.headers.get('location'), '/console?tab=1');
  const cookie = pressed.headers.get('set-cookie') ?? '';
  assert.match(cookie, /^lectern_session=[\w.-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
  const reply = await session(cookie.split(';')[0] ?? '');
  expectStatus(reply, 200);
  const { Now: _, SignedInAt, IdleUntil, ExpiresAt, ...who } = reply.body;
  assert.deepEqual(who, {
    Role: 'administrator',
    TenantID,
    TenantName: TenantID,
    TimeZone: 'UTC',
    LoginID,
    FirstName: 'Ann',
    LastName: null,
    Scopes: [...tenantScopes],
    Branding: noBranding,
    NextStep: null,
    SignOutURL: null,
  });
  assert.equal(Date.parse(ExpiresAt) - Date.parse(SignedInAt), 12 * 3_600_000);
  assert.ok(Date.parse(IdleUntil) < Date.parse(ExpiresAt));
  assert.equal((await press(url)).status, 410);
  assert.equal((await fetch(url)).status, 410);
});

test('a link without a path leads to the console for every role', async () => {
  for (const IsAdmin of [true, false])
    assert.equal((await press(await newLink(await user({ IsAdmin })))).headers.get('location'), '/console/');
});

test('over HTTPS the cookie is Secure and has the prefix __Host-', async () => {
  const url = await newLink(await user());
  const node = await serve({
    ...service.ctx,
    config: { ...service.ctx.config, baseUrl: 'https://lectern.example' },
  });
  const reply = await node.api.inject({
    method: 'POST',
    url: '/session/sign-in',
    payload: { token: tokenOf(url) },
  });
  const cookie = String(reply.headers['set-cookie']);
  assert.match(cookie, /^__Host-lectern_session=\S+; Path=\/; .*SameSite=Strict; Secure$/);
  const read = await node.api.inject({ url: '/session', headers: { cookie: cookie.split(';')[0] } });
  assert.equal(read.statusCode, 200);
  await node.close();
});

test('when a link is used concurrently on two nodes, it signs the user in only once', async () => {
  const token = tokenOf(await newLink(await user()));
  const nodes = [await serve(service.ctx), await serve(otherNode(service.ctx))];
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      (nodes[n % 2] as (typeof nodes)[0]).api.inject({
        method: 'POST',
        url: '/session/sign-in',
        payload: { token },
      }),
    ),
  );
  await Promise.all(nodes.map((node) => node.close()));
  assert.deepEqual(replies.map(({ statusCode }) => statusCode).sort(), [303, ...Array(7).fill(410)]);
});

test('a link expires after a minute', async () => {
  const LoginID = await user();
  const url = await newLink(LoginID);
  clock.advance({ seconds: 59 });
  assert.equal((await fetch(url)).status, 200);
  clock.advance({ seconds: 2 });
  assert.equal((await fetch(url)).status, 410);
  assert.equal((await press(url)).status, 410);
  for (const token of ['', 'x', 'x.y', tokenOf(url).replace(/.$/, '!')])
    assert.equal((await fetch(`${service.baseUrl}/session/sign-in?token=${token}`)).status, 410);
  assert.equal((await fetch(`${service.baseUrl}/session/sign-in`)).status, 410);
});

test('another site cannot sign in its visitors', async () => {
  const url = await newLink(await user());
  for (const site of ['cross-site', 'same-site']) {
    const refused = await press(url, { 'sec-fetch-site': site });
    assert.equal(refused.status, 403);
    assert.equal(refused.headers.get('set-cookie'), null);
  }
  assert.equal((await press(url, { 'sec-fetch-site': 'same-origin' })).status, 303);
});

test('a session ends after a period of inactivity, and after twelve hours at the latest', async () => {
  const LoginID = await user();
  const idle = await signIn(LoginID);
  clock.advance({ minutes: 31 });
  expectProblem(await session(idle), 401, 'signed_out');
  const used = await signIn(LoginID);
  for (let n = 0; n < 28; n++) {
    clock.advance({ minutes: 25 });
    expectStatus(await session(used), 200);
  }
  clock.advance({ minutes: 25 });
  expectProblem(await session(used), 401, 'signed_out');
});

test("signing out ends the current session, or all of the user's sessions", async () => {
  const LoginID = await user();
  const [here, there, elsewhere] = [await signIn(LoginID), await signIn(LoginID), await signIn(LoginID)];
  const other = await signIn(await user());
  const out = await session(here, 'DELETE');
  expectStatus(out, 204);
  assert.match(out.headers.get('set-cookie') ?? '', /^lectern_session=; Path=\/; Max-Age=0/);
  expectProblem(await session(here), 401, 'signed_out');
  expectStatus(await session(there), 200);
  const waiting = await newLink(LoginID);
  expectStatus(await session(there, 'DELETE', '?Everywhere=true'), 204);
  for (const cookie of [there, elsewhere]) expectProblem(await session(cookie), 401, 'signed_out');
  assert.equal((await press(waiting)).status, 410);
  expectStatus(await session(other), 200);
  for (const cookie of [here, '', 'lectern_session=x', `lectern_session=.${'x'.repeat(43)}`])
    expectStatus(await session(cookie, 'DELETE'), 204);
});

test("a session that has ended does not end the user's other sessions", async () => {
  const LoginID = await user();
  const ended = await signIn(LoginID);
  clock.advance({ minutes: 31 });
  const current = await signIn(LoginID);
  expectStatus(await session(ended, 'DELETE', '?Everywhere=true'), 204);
  expectStatus(await session(current), 200);
});

test('sessions do not end without an entry in the audit trail', async () => {
  const LoginID = await user();
  const [here, there] = [await signIn(LoginID), await signIn(LoginID)];
  const link = await newLink(LoginID);
  await service.ctx.engine.script(
    "alter table audit_entry add constraint rejects check (action <> 'sessions.ended') not valid",
  );
  try {
    expectStatus(await session(here, 'DELETE', '?Everywhere=true'), 500);
  } finally {
    await service.ctx.engine.script('alter table audit_entry drop constraint rejects');
  }
  for (const cookie of [here, there]) expectStatus(await session(cookie), 200);
  assert.equal((await press(link)).status, 303);
});

test('a disabled user is rejected immediately', async () => {
  const LoginID = await user();
  const cookie = await signIn(LoginID);
  const url = await newLink(LoginID);
  await api('PUT', `/user/${LoginID}`, { Enabled: false });
  expectProblem(await session(cookie), 401, 'signed_out');
  assert.equal((await fetch(url)).status, 410);
  assert.equal((await press(url)).status, 410);
  expectProblem(await api('POST', `/user/session/${LoginID}`), 409, 'user_disabled', 'LoginID');
});

test("links are created only for the tenant's own users and for pages of this service", async () => {
  const LoginID = await user();
  const other = await newTenant(service);
  expectProblem(await other.api('POST', `/user/session/${LoginID}`), 404, 'user_not_found');
  expectProblem(await api('POST', `/user/session/${unique('nobody')}`), 404, 'user_not_found', 'LoginID');
  for (const Path of ['https://evil.example/', '//evil.example', '/\\evil.example', '/\tx', 'console', ''])
    expectProblem(await api('POST', `/user/session/${LoginID}`, { Path }), 422, 'validation_failed', 'Path');
  expectProblem(await api('POST', `/user/session/${LoginID}`, { path: '/' }), 422, 'unknown_field');
  const { Secret } = (
    await service.api('POST', `/tenant/${TenantID}/key`, { Name: 'reader', Scopes: ['users:read'] })
  ).body;
  const refused = await service.api('POST', `/user/session/${LoginID}`, {}, Secret);
  expectProblem(refused, 403, 'scope_missing');
});

test("a session has at most the scopes of its link and of the user's administrator rights", async () => {
  const scopes = ['users:read', 'users:write', 'users:admin'];
  const { Secret } = (
    await service.api('POST', `/tenant/${TenantID}/key`, { Name: 'promotes users', Scopes: scopes })
  ).body;
  const LoginID = await user();
  expectStatus(await service.api('PUT', `/user/${LoginID}`, { IsAdmin: true }, Secret), 200);
  // The link comes from a key with all scopes, such as a portal's.
  const { body } = await session(await signIn(LoginID));
  assert.deepEqual([body.Role, body.Scopes.toSorted()], ['administrator', scopes.toSorted()]);
  expectStatus(await api('PUT', `/user/${LoginID}`, { IsAdmin: true }), 200);
  assert.deepEqual((await session(await signIn(LoginID))).body.Scopes, [...tenantScopes]);
});

test("one tenant's token is worthless in another tenant, and only hashes are stored", async () => {
  const LoginID = await user();
  const url = await newLink(LoginID);
  const [, secret] = tokenOf(url).split('.');
  const other = await newTenant(service);
  const foreign = `${Buffer.from(other.TenantID).toString('base64url')}.${secret}`;
  assert.equal((await fetch(`${service.baseUrl}/session/sign-in?token=${foreign}`)).status, 410);
  const cookie = await signIn(LoginID);
  const { rows } = await sql<{ row: string }>`
    select to_jsonb(link)::text as row from sign_in_link link where link.tenant_id = ${TenantID}
    union all select to_jsonb(user_session)::text from user_session where user_session.tenant_id = ${TenantID}`.execute(
    service.ctx.db,
  );
  assert.ok(rows.length > 1);
  for (const { row } of rows)
    for (const text of [secret ?? '', cookie.split('.')[1] ?? '']) assert.ok(text && !row.includes(text));
});

test('a form without a usable token is rejected with a reason', async () => {
  for (const body of [
    {},
    { token: { toString: 1 } },
    { token: ['x'] },
    { token: 'x', else: 1 },
    { token: '\0' },
  ]) {
    const reply = await service.api('POST', '/session/sign-in', body);
    expectProblem(reply, 422, 'else' in body ? 'unknown_field' : 'validation_failed');
  }
});

test("changing a password ends the user's sessions, except the one used for the change", async () => {
  const LoginID = await tenant.user({ IsAdmin: true, Password: 'one' });
  const other = await tenant.user({ IsAdmin: true });
  const open = async (loginId: string) => browser(service, await signInUser(service, tenant, loginId));
  const [first, second, ofOther] = [await open(LoginID), await open(LoginID), await open(other)];
  const statuses = async () =>
    Promise.all([first, second, ofOther].map(async (ask) => (await ask('GET', '/session')).status));
  expectStatus(await first('PUT', `/user/${LoginID}`, { FirstName: 'Ann' }), 200);
  assert.deepEqual(await statuses(), [200, 200, 200]);
  expectStatus(await first('PUT', `/user/${LoginID}`, { Password: 'two' }), 200);
  assert.deepEqual(await statuses(), [200, 401, 200]);
  expectStatus(await ofOther('PUT', `/user/${LoginID}`, { Password: 'three' }), 200);
  assert.deepEqual(await statuses(), [401, 401, 200]);
  const again = await open(LoginID);
  assert.equal((await again('GET', '/session')).status, 200);
  expectStatus(await tenant.api('PUT', `/user/${LoginID}`, { Password: null }), 200);
  assert.equal((await again('GET', '/session')).status, 401);
});
