import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, beforeEach, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import type { Reply } from '../../../test/support/send.ts';
import { startService } from '../../../test/support/service.ts';
import { browser, ownPage, signInUser } from '../../../test/support/sign-in.ts';
import { startMailServer } from '../../../test/support/smtp.ts';
import { expectProblem, expectStatus, newTenant, type TestTenant } from '../../../test/support/tenant.ts';
import { learnerScopes } from '../../infra/context/scopes.ts';
import { sendMails } from '../mail/send.ts';

const server = await startMailServer();
const clock = movableClock();
const service = await startService({
  now: clock.now,
  env: { SMTP_URL: server.url, MAIL_FROM: 'noreply@lectern.example' },
});
after(async () => {
  await service.close();
  await server.close();
});
beforeEach(async () => {
  // Requests from one address are limited, and so are emails to one address.
  clock.advance({ hours: 2 });
  // Emails about changed passwords, from the previous test.
  await sendMails(service.ctx);
  server.mails = [];
});

const hashOf = (password: string) => createHash('sha256').update(password).digest('hex');
const [old, chosen] = [hashOf('old password'), hashOf('new password')];
const Email = 'ann@acme.example';
const tokenOf = (url: string) => new URL(url).hash.slice(1);
const post = (path: string, body: object, method = 'POST', headers: Record<string, string> = ownPage) =>
  service.api(method, path, body, '', headers);
const forget = (TenantID: string, LoginID: string) => post('/session/reset', { TenantID, LoginID });
const look = (url: string) => post('/session/reset/check', { Token: tokenOf(url) });
const reset = (url: string, Password = chosen) =>
  post('/session/reset', { Token: tokenOf(url), Password }, 'PUT');
const signIn = ({ TenantID }: TestTenant, LoginID: string, Password: string) =>
  post('/session', { TenantID, LoginID, Password });
const pageOf = (reply: Reply) =>
  browser(service, reply.headers.get('set-cookie')?.split(';')[0] ?? 'nothing=1');

/** A user who can sign in with a password. */
async function userWithPassword(tenant: TestTenant, fields: object = {}): Promise<string> {
  const LoginID = await tenant.user({ Email, FirstName: 'Ann', ...fields });
  expectStatus(await tenant.api('PUT', `/user/password/${LoginID}`, { Password: old }), 204);
  return LoginID;
}

async function linkFor(tenant: TestTenant, LoginID: string): Promise<string> {
  expectStatus(await forget(tenant.TenantID, LoginID), 204);
  await sendMails(service.ctx);
  // The other emails say that a password was changed.
  const [mail] = server.mails.filter(({ text }) => text.includes('/console/reset#')).slice(-1);
  assert.deepEqual(mail?.to, [Email]);
  return /http\S+/.exec(mail?.text ?? '')?.[0] ?? '';
}

test('a user who forgot the password gets a link, sets a new password and is signed in', async () => {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const LoginID = await userWithPassword(tenant);
  const earlier = browser(service, await signInUser(service, tenant, LoginID));
  // The tenant's name works here as it does on the sign-in page.
  expectStatus(await forget('acme', LoginID), 204);
  await sendMails(service.ctx);
  const [mail] = server.mails;
  assert.equal(mail?.headers.get('subject'), 'Reset your password for Acme');
  const url = /http\S+/.exec(mail?.text ?? '')?.[0] ?? '';
  assert.ok(url.startsWith(`${service.baseUrl}/console/reset#`));
  for (let n = 0; n < 2; n++) {
    const { body } = await look(url);
    assert.deepEqual([body.LoginID, body.TenantName, body.FirstName], [LoginID, 'Acme', 'Ann']);
  }
  expectProblem(await reset(url, 'new password'), 422, 'password_not_hashed');
  const done = await reset(url);
  expectStatus(done, 200);
  expectStatus(await pageOf(done)('GET', '/session'), 200);
  expectProblem(await earlier('GET', '/session'), 401, 'signed_out');
  expectProblem(await signIn(tenant, LoginID, old), 401, 'sign_in_failed');
  expectStatus(await signIn(tenant, LoginID, chosen), 200);
  for (const again of [await reset(url), await look(url)]) expectProblem(again, 410, 'reset_ended');
  const { body } = await tenant.api('GET', '/audit?Limit=20&Order=newest');
  const actions = body.Items.map(({ Action, Data }: { Action: string; Data: { Method?: string } }) =>
    [Action, Data.Method].filter(Boolean).join(' '),
  );
  for (const action of ['password_reset.requested', 'sign_in.succeeded reset', 'user.access_changed'])
    assert.ok(actions.includes(action), `${action}: ${actions}`);
});

test('the response is always the same, and only users with a password and an address get an email', async () => {
  const tenant = await newTenant(service);
  const others = [
    'nobody',
    await tenant.user({ Email }),
    await userWithPassword(tenant, { Email: null }),
    await userWithPassword(tenant, { Email: 'n/a' }),
  ];
  const disabled = await userWithPassword(tenant);
  await tenant.api('PUT', `/user/${disabled}`, { Enabled: false });
  const known = await userWithPassword(tenant);
  const replies = [];
  for (const LoginID of [...others, disabled, known]) replies.push(await forget(tenant.TenantID, LoginID));
  replies.push(await forget('no such tenant', known));
  for (const { status, body } of replies) assert.deepEqual([status, body], [204, replies[0]?.body]);
  await sendMails(service.ctx);
  assert.equal(server.mails.length, 1);
});

test('requests for a name are limited, whether or not the name exists', async () => {
  const tenant = await newTenant(service);
  for (const LoginID of [await userWithPassword(tenant), 'nobody']) {
    clock.advance({ hours: 1 });
    const forgetTen = (name: string) =>
      Promise.all(
        Array.from({ length: 10 }, async () => expectStatus(await forget(tenant.TenantID, name), 204)),
      );
    await forgetTen(LoginID);
    expectProblem(await forget(tenant.TenantID, LoginID), 429, 'login_throttled');
    expectStatus(await forget(tenant.TenantID, 'another'), 204);
    expectProblem(await signIn(tenant, LoginID, chosen), 401, 'sign_in_failed');
    await sendMails(service.ctx);
  }
  assert.equal(server.mails.length, 3, 'a mailbox gets few emails');
});

/** What makes an unused link invalid. */
const endings: Record<string, (LoginID: string, tenant: TestTenant) => Promise<unknown>> = {
  'an hour': async () => clock.advance({ minutes: 61 }),
  'a new password from the client': (LoginID, { api }) => api('PUT', `/user/${LoginID}`, { Password: 'x' }),
  'a new password from an administrator': (LoginID, { api }) =>
    api('PUT', `/user/password/${LoginID}`, { Password: chosen }),
  'another email address': (LoginID, { api }) => api('PUT', `/user/${LoginID}`, { Email: 'b@acme.example' }),
  'disabling the user, even for a moment': async (LoginID, { api }) => {
    for (const Enabled of [false, true]) await api('PUT', `/user/${LoginID}`, { Enabled });
  },
  'a suspension, even a short one': async (_, { TenantID }) => {
    clock.advance({ seconds: 1 });
    for (const Status of ['suspended', 'active']) await service.api('PUT', `/tenant/${TenantID}`, { Status });
  },
  'an erasure': (LoginID, { api }) => api('DELETE', `/user/${LoginID}`),
};

for (const [what, end] of Object.entries(endings))
  test(`${what} ends a link`, async () => {
    const tenant = await newTenant(service);
    const LoginID = await userWithPassword(tenant);
    const url = await linkFor(tenant, LoginID);
    expectStatus(await look(url), 200);
    await end(LoginID, tenant);
    for (const reply of [await look(url), await reset(url)]) expectProblem(reply, 410, 'reset_ended');
  });

test('using one link ends all others, and an earlier invitation', async () => {
  const tenant = await newTenant(service);
  const LoginID = await userWithPassword(tenant);
  const urls = [await linkFor(tenant, LoginID), await linkFor(tenant, LoginID)];
  await tenant.api('POST', '/invitation', { LoginID });
  expectStatus(await reset(urls[1] ?? ''), 200);
  expectProblem(await reset(urls[0] ?? ''), 410, 'reset_ended');
  assert.equal((await tenant.api('GET', `/invitation/${LoginID}`)).body.Status, 'revoked');
});

test('a link does not work in another tenant, from another site or as another kind of link', async () => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  const url = await linkFor(tenant, await userWithPassword(tenant));
  const [, secret = ''] = tokenOf(url).split('.');
  const moved = `${Buffer.from(other.TenantID).toString('base64url')}.${secret}`;
  for (const Token of [moved, `.${secret}`, secret, '', 'x'.repeat(43)])
    expectProblem(await post('/session/reset', { Token, Password: chosen }, 'PUT'), 410, 'reset_ended');
  const invitation = { Token: tokenOf(url), Password: chosen };
  expectProblem(await post('/session/invitation', invitation), 410, 'invitation_ended');
  const elsewhere = { 'sec-fetch-site': 'cross-site' };
  for (const [path, method, body] of [
    ['/session/reset', 'PUT', { Token: tokenOf(url), Password: chosen }],
    ['/session/reset/check', 'POST', { Token: tokenOf(url) }],
    ['/session/reset', 'POST', { TenantID: 'x', LoginID: 'x' }],
  ] as const)
    expectProblem(await post(path, body, method, elsewhere), 403, 'cross_site');
  expectStatus(await look(url), 200);
});

test('a reset does not lift the scope limit of an administrator', async () => {
  const tenant = await newTenant(service);
  const made = await service.api('POST', `/tenant/${tenant.TenantID}/key`, {
    Name: 'narrow',
    Scopes: ['users:read', 'users:write', 'users:admin'],
  });
  const LoginID = await tenant.user({ Email });
  const narrow = (path: string, body: object) => service.api('PUT', path, body, made.body.Secret);
  expectStatus(await narrow(`/user/${LoginID}`, { IsAdmin: true }), 200);
  expectStatus(await narrow(`/user/password/${LoginID}`, { Password: old }), 204);
  const page = pageOf(await reset(await linkFor(tenant, LoginID)));
  expectStatus(await page('GET', '/user'), 200);
  expectProblem(await page('GET', '/webhook'), 403, 'scope_missing');
});

test('without a mail server, a request for a link is rejected with its own error code', async () => {
  const silent = await startService();
  try {
    const reply = await silent.api('POST', '/session/reset', { TenantID: 'test', LoginID: 'x' }, '', ownPage);
    expectProblem(reply, 409, 'mail_not_configured');
  } finally {
    await silent.close();
  }
});

test('an administrator sets a password, which works on the pages of this service and ends all sessions', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user();
  const session = browser(service, await signInUser(service, tenant, LoginID));
  expectProblem(
    await tenant.api('PUT', `/user/password/${LoginID}`, { Password: 'plain text' }),
    422,
    'password_not_hashed',
  );
  expectProblem(await tenant.api('PUT', '/user/password/nobody', { Password: old }), 404, 'user_not_found');
  expectStatus(await tenant.api('PUT', `/user/password/${LoginID}`, { Password: old }), 204);
  expectProblem(await session('GET', '/session'), 401, 'signed_out');
  expectStatus(await signIn(tenant, LoginID, old), 200);
  const made = await service.api('POST', `/tenant/${tenant.TenantID}/key`, {
    Name: 'writer',
    Scopes: ['users:write'],
  });
  const refused = await service.api('PUT', `/user/password/${LoginID}`, { Password: old }, made.body.Secret);
  expectProblem(refused, 403, 'scope_missing');
  const other = await newTenant(service);
  expectProblem(
    await other.api('PUT', `/user/password/${LoginID}`, { Password: old }),
    404,
    'user_not_found',
  );
  const events = await tenant.events({ LoginID });
  assert.deepEqual(events.at(-1)?.data, { LoginID, Changed: ['Password'] });
});

const narrowKey = async ({ TenantID }: TestTenant, Scopes: readonly string[]) => {
  const made = await service.api('POST', `/tenant/${TenantID}/key`, { Name: 'narrow', Scopes });
  expectStatus(made, 201);
  return (method: string, path: string, body: object) =>
    service.api(method, path, body, made.body.Secret as string);
};

test('changing an address that links are sent to requires all scopes of the user', async () => {
  const tenant = await newTenant(service);
  const learner = await userWithPassword(tenant);
  const administrator = await userWithPassword(tenant, { IsAdmin: true });
  const other = { Email: 'evil@attacker.example' };
  const writer = await narrowKey(tenant, ['users:read', 'users:write']);
  const manager = await narrowKey(tenant, [...learnerScopes, 'users:write', 'users:admin']);
  for (const [call, LoginID] of [
    [writer, learner],
    [writer, administrator],
    [await narrowKey(tenant, ['users:write', 'users:admin']), learner],
    [manager, administrator],
  ] as const)
    expectProblem(await call('PUT', `/user/${LoginID}`, other), 403, 'scope_missing');
  expectStatus(await writer('PUT', `/user/${learner}`, { Email, LastName: 'Lee' }), 200);
  expectStatus(await manager('PUT', `/user/${learner}`, other), 200);
  expectStatus(await tenant.api('PUT', `/user/${administrator}`, other), 200);
  const { body } = await tenant.api('GET', '/audit?Action=user.access_changed&Order=newest');
  assert.deepEqual(body.Items[0].Data, { Email: true });
});

test('without a mail server, an email address gives no access', async () => {
  const silent = await startService();
  const tenant = await newTenant(silent);
  const LoginID = await tenant.user({ Email });
  const made = await silent.api('POST', `/tenant/${tenant.TenantID}/key`, {
    Name: 'n',
    Scopes: ['users:write'],
  });
  const change = { Email: 'new@acme.example' };
  expectStatus(await silent.api('PUT', `/user/${LoginID}`, change, made.body.Secret), 200);
  await silent.close();
});

test('changing the address ends an invitation, even if its email is still queued', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ Email: 'wrong@acme.example' });
  for (const isSent of [true, false]) {
    const { body } = await tenant.api('POST', '/invitation', { LoginID });
    if (isSent) await sendMails(service.ctx);
    expectStatus(await tenant.api('PUT', `/user/${LoginID}`, { Email: `right-${isSent}@acme.example` }), 200);
    const choice = { Token: tokenOf(body.InvitationURL), Password: chosen };
    expectProblem(await post('/session/invitation', choice), 410, 'invitation_ended');
  }
  await sendMails(service.ctx);
  assert.equal(server.mails.length, 1);
});

test('if two links are used at the same time, only one works', async () => {
  const tenant = await newTenant(service);
  for (let round = 0; round < 4; round++) {
    const LoginID = await userWithPassword(tenant);
    const links = [await linkFor(tenant, LoginID), await linkFor(tenant, LoginID)];
    const replies = await Promise.all([...links, ...links].map((link) => reset(link)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 410, 410, 410]);
  }
});

test("neither anonymous requests nor a tenant's invitations use up other users' emails", async () => {
  const limited = { ...service.ctx, config: { ...service.ctx.config, mailRateLimit: 3 } };
  const tenant = await newTenant(service);
  const users = [];
  for (let n = 0; n < 5; n++) users.push(await userWithPassword(tenant, { Email: `user-${n}@acme.example` }));
  for (const LoginID of users) expectStatus(await forget(tenant.TenantID, LoginID), 204);
  await sendMails(limited);
  assert.equal(server.mails.length, 5);
});
