import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { otherNode, serve } from '../../../test/support/nodes.ts';
import type { Reply } from '../../../test/support/send.ts';
import { startService } from '../../../test/support/service.ts';
import { browser, ownPage, signInUser } from '../../../test/support/sign-in.ts';
import {
  expectProblem,
  expectStatus,
  newTenant,
  type TestTenant,
  unique,
} from '../../../test/support/tenant.ts';
import { noBranding } from '../tenants/branding.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const tenant = await newTenant(service, { Name: 'Acme' });
const { TenantID, api, user } = tenant;

const hashOf = (password: string) => createHash('sha256').update(password).digest('hex');
const Password = hashOf('correct horse');

const invite = async (LoginID: string, by: Pick<TestTenant, 'api'> = tenant) => {
  const reply = await by.api('POST', '/invitation', { LoginID });
  expectStatus(reply, 201);
  return reply.body as { InvitationID: string; InvitationURL: string; ExpiresAt: string };
};
const tokenOf = (url: string) => new URL(url).hash.slice(1);
const look = (url: string) =>
  service.api('POST', '/session/invitation/check', { Token: tokenOf(url) }, '', ownPage);
const accept = (url: string, password = Password, headers: Record<string, string> = ownPage) =>
  service.api('POST', '/session/invitation', { Token: tokenOf(url), Password: password }, '', headers);
const pageOf = (reply: Reply) =>
  browser(service, reply.headers.get('set-cookie')?.split(';')[0] ?? 'nothing=1');
const signIn = (LoginID: string, password = Password, tenantName = TenantID) =>
  service.api('POST', '/session', { TenantID: tenantName, LoginID, Password: password }, '', ownPage);
const statusOf = async (LoginID: string) => (await api('GET', `/invitation/${LoginID}`)).body.Status;

test('an invited user sets a password once, is signed in, and can sign in with it again', async () => {
  for (const [IsAdmin, Role] of [
    [true, 'administrator'],
    [false, 'learner'],
  ] as const) {
    const LoginID = await user({ FirstName: 'Ann', IsAdmin });
    expectProblem(await api('GET', `/invitation/${LoginID}`), 404, 'invitation_not_found');
    const { InvitationID, InvitationURL, ExpiresAt } = await invite(LoginID);
    assert.ok(InvitationURL.startsWith(`${service.baseUrl}/console/invitation#`));
    assert.equal(Math.round((Date.parse(ExpiresAt) - clock.now().getTime()) / 60_000), 7 * 24 * 60);
    for (let n = 0; n < 2; n++)
      assert.deepEqual((await look(InvitationURL)).body, {
        TenantID,
        TenantName: 'Acme',
        LoginID,
        FirstName: 'Ann',
        LastName: null,
        Branding: noBranding,
        ExpiresAt,
        PasswordHash: 'sha256-hex',
      });
    expectProblem(await accept(InvitationURL, 'correct horse'), 422, 'password_not_hashed');
    const done = await accept(InvitationURL);
    expectStatus(done, 200);
    assert.equal(done.body.Role, Role);
    expectStatus(await pageOf(done)('GET', '/session'), 200);
    for (const again of [await accept(InvitationURL), await look(InvitationURL)])
      expectProblem(again, 410, 'invitation_ended');
    expectStatus(await signIn(LoginID), 200);
    expectProblem(await signIn(LoginID, hashOf('wrong')), 401, 'sign_in_failed');
    assert.equal(await statusOf(LoginID), 'accepted');
    const check = await api('POST', `/user/check/${LoginID}`, { Password });
    assert.equal(check.body.Result, 1);
    const events = await tenant.events({ LoginID });
    assert.deepEqual(
      events.map(({ type, data }) => [type, data]),
      [
        ['user.created', { LoginID }],
        ['invitation.created', { LoginID, InvitationID, ExpiresAt }],
        ['invitation.accepted', { LoginID, InvitationID }],
        ['user.updated', { LoginID, Changed: ['Password'] }],
      ],
    );
  }
});

test("the page applies the tenant's declared hash function, and POST /user/check expects it", async () => {
  const declared = await newTenant(service, { PasswordHash: 'md5-hex' });
  const LoginID = await declared.user();
  const { InvitationURL } = await invite(LoginID, declared);
  assert.equal((await look(InvitationURL)).body.PasswordHash, 'md5-hex');
  expectProblem(await accept(InvitationURL), 422, 'password_not_hashed');
  const hash = createHash('md5').update('correct horse').digest('hex');
  expectStatus(await accept(InvitationURL, hash), 200);
  assert.equal((await declared.api('POST', `/user/check/${LoginID}`, { Password: hash })).body.Result, 1);
});

test('without a declared hash function, only a password that the user set in Lectern can sign in', async () => {
  const LoginID = await user({ Password });
  expectProblem(await signIn(LoginID), 401, 'sign_in_failed');
  expectStatus(await accept((await invite(LoginID)).InvitationURL), 200);
  expectStatus(await signIn(LoginID), 200);
  expectStatus(await api('PUT', `/user/${LoginID}`, { Password }), 200);
  expectProblem(await signIn(LoginID), 401, 'sign_in_failed');
});

/** The ways in which an invitation ends, with the resulting status. */
const endings: Record<string, [(LoginID: string, by: TestTenant) => Promise<unknown>, string]> = {
  'a newer invitation': [(LoginID, by) => invite(LoginID, by), 'pending'],
  DELETE: [(LoginID, { api }) => api('DELETE', `/invitation/${LoginID}`), 'revoked'],
  'a new password': [
    (LoginID, { api }) => api('PUT', `/user/${LoginID}`, { Password: 'from the client' }),
    'revoked',
  ],
  'disabling the user, even for a moment': [
    async (LoginID, { api }) => {
      for (const Enabled of [false, true])
        expectStatus(await api('PUT', `/user/${LoginID}`, { Enabled }), 200);
    },
    'revoked',
  ],
  'a suspension, even a short one': [
    async (_, { TenantID }) => {
      clock.advance({ seconds: 1 });
      for (const Status of ['suspended', 'active'])
        expectStatus(await service.api('PUT', `/tenant/${TenantID}`, { Status }), 200);
    },
    'revoked',
  ],
  'the passage of seven days': [async () => clock.advance({ days: 7, seconds: 1 }), 'expired'],
};

for (const [what, [end, status]] of Object.entries(endings))
  test(`${what} ends an invitation`, async () => {
    const own = await newTenant(service);
    const LoginID = await own.user();
    const { InvitationID, InvitationURL } = await invite(LoginID, own);
    expectStatus(await look(InvitationURL), 200);
    await end(LoginID, own);
    for (const reply of [await look(InvitationURL), await accept(InvitationURL)])
      expectProblem(reply, 410, 'invitation_ended');
    assert.equal((await own.api('GET', `/invitation/${LoginID}`)).body.Status, status);
    const more = await own.api('POST', `/invitation/${LoginID}/${InvitationID}/link`);
    if (what === 'a newer invitation') expectProblem(more, 404, 'invitation_not_found');
    else expectProblem(more, 410, 'invitation_ended');
  });

test('erasing the user or suspending or deleting the tenant ends the invitation and leaves no trace of it', async () => {
  const own = await newTenant(service);
  const [erased, suspended] = [await own.user(), await own.user()];
  const urls = [(await invite(erased, own)).InvitationURL, (await invite(suspended, own)).InvitationURL];
  const exported = (await own.api('GET', `/user/${erased}/export`)).body;
  assert.equal(exported.Invitations.length, 1);
  expectStatus(await own.api('DELETE', `/user/${erased}`), 200);
  expectProblem(await look(urls[0] ?? ''), 410, 'invitation_ended');
  expectStatus(await service.api('PUT', `/tenant/${own.TenantID}`, { Status: 'suspended' }), 200);
  expectProblem(await accept(urls[1] ?? ''), 410, 'invitation_ended');
  const byOperator = { tenant: own.TenantID };
  const refused = await service.api('POST', '/invitation', { LoginID: suspended }, undefined, byOperator);
  expectProblem(refused, 403, 'tenant_suspended');
  expectStatus(await service.api('DELETE', `/tenant/${own.TenantID}`), 200);
  expectProblem(await look(urls[1] ?? ''), 410, 'invitation_ended');
});

test("the client's system can request more links for an invitation, and accepting one ends the invitation", async () => {
  const LoginID = await user();
  const { InvitationID, InvitationURL } = await invite(LoginID);
  const told = await api('GET', `/events?LoginID=${LoginID}&Types=invitation.created`);
  assert.deepEqual(
    told.body.Items.map(({ Data }: { Data: { InvitationID: string } }) => Data.InvitationID),
    [InvitationID],
  );
  const more = await api('POST', `/invitation/${LoginID}/${InvitationID}/link`);
  expectStatus(more, 201);
  for (const url of [InvitationURL, more.body.InvitationURL]) expectStatus(await look(url), 200);
  for (let n = 0; n < 4; n++) await api('POST', `/invitation/${LoginID}/${InvitationID}/link`);
  expectProblem(await look(InvitationURL), 410, 'invitation_ended');
  expectStatus(await accept(more.body.InvitationURL), 200);
  expectProblem(await api('POST', `/invitation/${LoginID}/${InvitationID}/link`), 410, 'invitation_ended');
  const log = await service.ctx.db
    .selectFrom('event')
    .select('data')
    .where('tenant_id', '=', TenantID)
    .execute();
  const secret = tokenOf(InvitationURL).split('.')[2] ?? 'missing';
  for (const { data } of log) assert.ok(!JSON.stringify(data).includes(secret));
});

test('when an invitation is accepted concurrently on two nodes, only one acceptance succeeds', async () => {
  const Token = tokenOf((await invite(await user())).InvitationURL);
  const nodes = [await serve(service.ctx), await serve(otherNode(service.ctx))];
  const replies = await Promise.all(
    Array.from({ length: 4 }, (_, n) =>
      (nodes[n % 2] as (typeof nodes)[0]).api.inject({
        method: 'POST',
        url: '/session/invitation',
        payload: { Token, Password },
      }),
    ),
  );
  await Promise.all(nodes.map((node) => node.close()));
  assert.deepEqual(replies.map(({ statusCode }) => statusCode).sort(), [200, 410, 410, 410]);
});

test("only the tenant's enabled users can be invited, the key needs users:admin, and invitations are accepted only on this service", async () => {
  const LoginID = await user();
  const other = await newTenant(service);
  for (const [by, name] of [
    [other, LoginID],
    [tenant, unique('nobody')],
  ] as const)
    expectProblem(await by.api('POST', '/invitation', { LoginID: name }), 404, 'user_not_found', 'LoginID');
  const disabled = await user({ Enabled: false });
  expectProblem(await api('POST', '/invitation', { LoginID: disabled }), 409, 'user_disabled', 'LoginID');
  expectProblem(await api('POST', '/invitation', {}), 422, 'validation_failed', 'LoginID');
  const { InvitationID, InvitationURL } = await invite(LoginID);
  for (const method of ['GET', 'DELETE'])
    expectProblem(await other.api(method, `/invitation/${LoginID}`), 404, 'user_not_found');
  const foreign = await other.api('POST', `/invitation/${LoginID}/${InvitationID}/link`);
  expectProblem(foreign, 404, 'user_not_found');
  const Scopes = ['users:read', 'users:write'];
  const narrow = (await service.api('POST', `/tenant/${TenantID}/key`, { Name: 'n', Scopes })).body.Secret;
  const refused = await service.api('POST', '/invitation', { LoginID }, narrow);
  expectProblem(refused, 403, 'scope_missing');
  const some = { Name: 'some', Scopes: ['users:read', 'users:write', 'users:admin'] };
  const limited = (await service.api('POST', `/tenant/${TenantID}/key`, some)).body.Secret;
  const link = await service.api('POST', `/invitation/${LoginID}/${InvitationID}/link`, {}, limited);
  expectProblem(link, 403, 'scope_missing');
  const [id = '', , secret = ''] = tokenOf(InvitationURL).split('.');
  const elsewhere = Buffer.from(other.TenantID).toString('base64url');
  for (const token of ['', 'x', `${id}.${elsewhere}.${secret}`, `${id}.${'x'.repeat(60)}`])
    expectProblem(await look(`${service.baseUrl}/#${token}`), 410, 'invitation_ended');
  for (const site of ['cross-site', 'same-site'])
    expectProblem(await accept(InvitationURL, Password, { 'sec-fetch-site': site }), 403, 'cross_site');
  expectStatus(await accept(InvitationURL, Password, {}), 200);
});

test('one call can invite many users, and can be repeated', async () => {
  const [one, two] = [await user(), await user({ IsAdmin: true })];
  const rows = [one, two, 'nobody at all'].map((LoginID) => JSON.stringify({ LoginID })).join('\n');
  const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': unique('invite') };
  const send = async (query = '') => {
    const reply = await api('POST', `/invitation/bulk${query}`, rows, headers);
    const lines =
      typeof reply.body === 'string' ? reply.body.trim().split('\n') : [JSON.stringify(reply.body)];
    return lines.map((line) => JSON.parse(line));
  };
  const plan = await send('?Plan=true');
  assert.deepEqual(
    plan.map(({ Plan }) => Plan),
    ['created', 'created', 'error'],
  );
  expectProblem(await api('GET', `/invitation/${one}`), 404, 'invitation_not_found');
  const made = await send();
  assert.deepEqual(await send(), made);
  assert.deepEqual(
    made.map(({ Status, LoginID, code }) => [Status, LoginID, code]),
    [
      [201, one, undefined],
      [201, two, undefined],
      [404, 'nobody at all', 'user_not_found'],
    ],
  );
  for (const { InvitationURL } of made.slice(0, 2)) expectStatus(await look(InvitationURL), 200);
});

test('users can change their own password, which ends their other sessions', async () => {
  const LoginID = await user();
  const here = pageOf(await accept((await invite(LoginID)).InvitationURL));
  const there = pageOf(await signIn(LoginID));
  const change = (page: typeof here, OldPassword: string, headers?: Record<string, string>) =>
    page('PUT', '/session/password', { OldPassword, Password: hashOf('new') }, headers);
  expectProblem(await change(here, hashOf('wrong')), 422, 'password_wrong', 'OldPassword');
  expectProblem(await change(here, 'correct horse'), 422, 'password_not_hashed');
  expectProblem(await change(here, Password, { 'sec-fetch-site': 'same-site' }), 403, 'cross_site');
  const nobody = await service.api(
    'PUT',
    '/session/password',
    { OldPassword: Password, Password },
    '',
    ownPage,
  );
  expectProblem(nobody, 401, 'signed_out');
  const { InvitationURL } = await invite(LoginID);
  expectStatus(await change(here, Password), 204);
  expectStatus(await here('GET', '/session'), 200);
  expectProblem(await there('GET', '/session'), 401, 'signed_out');
  expectProblem(await look(InvitationURL), 410, 'invitation_ended');
  expectProblem(await signIn(LoginID), 401, 'sign_in_failed');
  expectStatus(await signIn(LoginID, hashOf('new')), 200);
  for (let n = 0; n < 10; n++) await change(here, hashOf('guess'));
  expectProblem(await change(here, hashOf('new')), 429, 'login_throttled');
  const without = await user();
  const linked = browser(service, await signInUser(service, tenant, without));
  expectProblem(await change(linked, Password), 422, 'password_wrong');
});

test('an accepted invitation ends all earlier sessions', async () => {
  const LoginID = await user({ IsAdmin: true });
  const before = browser(service, await signInUser(service, tenant, LoginID));
  expectStatus(await before('GET', '/session'), 200);
  expectStatus(await accept((await invite(LoginID)).InvitationURL), 200);
  expectProblem(await before('GET', '/session'), 401, 'signed_out');
});

test("the sign-in page accepts the tenant's name, unless several tenants have the same name", async () => {
  const [Name, shared] = [unique('Grüne Wiese GmbH'), unique('Both')];
  const named = await newTenant(service, { Name });
  const LoginID = await named.user();
  expectStatus(await accept((await invite(LoginID, named)).InvitationURL), 200);
  for (const typed of [Name, ` ${Name.toUpperCase()} `, named.TenantID, named.TenantID.toUpperCase()]) {
    const reply = await signIn(LoginID, Password, typed);
    expectStatus(reply, 200);
    assert.equal(reply.body.TenantID, named.TenantID);
  }
  const twins = [await newTenant(service, { Name: shared }), await newTenant(service, { Name: shared })];
  for (const twin of twins) {
    const name = await twin.user();
    expectStatus(await accept((await invite(name, twin)).InvitationURL), 200);
    expectProblem(await signIn(name, Password, shared), 401, 'sign_in_failed');
    expectStatus(await signIn(name, Password, twin.TenantID), 200);
  }
  // A name cannot take over another tenant's ID.
  await newTenant(service, { Name: named.TenantID });
  expectStatus(await signIn(LoginID, Password, named.TenantID), 200);
});

test('Count returns the number of invitations and emails that match the filters, of this tenant only', async () => {
  const one = await newTenant(service);
  const other = await newTenant(service);
  const logins = [await one.user(), await one.user(), await one.user()];
  for (const LoginID of logins) await invite(LoginID, one);
  await invite(await other.user(), other);
  expectStatus(await one.api('DELETE', `/invitation/${logins[0]}`), 200);
  const countOf = async (path: string) => {
    const reply = await one.api('GET', `${path}Limit=1&Count=true`);
    expectStatus(reply, 200);
    return reply.body.Count;
  };
  for (const [path, Records] of [
    ['/invitation?', 3],
    ['/invitation?Order=oldest&', 3],
    ['/invitation?Status=pending&', 2],
    ['/invitation?Status=revoked&', 1],
    ['/invitation?Status=expired&', 0],
    [`/invitation?LoginID=${logins[1]}&`, 1],
    ['/invitation?LoginID=nobody&', 0],
    // This service sends no emails.
    ['/mail?', 0],
    [`/mail?LoginID=${logins[1]}&Status=sent&`, 0],
    ['/mail?LoginID=nobody&', 0],
  ] as const)
    assert.deepEqual(await countOf(path), { Records, More: false }, path);
});
