import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { plainBrowser, startProvider } from '../../../../test/support/identity-provider.ts';
import { leavePasskey } from '../../../../test/support/passkeys.ts';
import { startService } from '../../../../test/support/service.ts';
import {
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  unique,
} from '../../../../test/support/tenant.ts';
import { learnerScopes } from '../../../infra/context/scopes.ts';

// Signs in at a real OpenID provider on this machine.

const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
after(service.close);

const accounts = {
  'anna-sub': {
    email: 'anna@acme.example',
    email_verified: true,
    given_name: 'Anna',
    family_name: 'Ash',
    groups: ['Sales', 'Admins'],
  },
  'ben-sub': {
    email: 'ben@acme.example',
    email_verified: false,
    given_name: 'Ben',
    family_name: 'Beech',
    groups: ['Sales'],
  },
  'cora-sub': { email: 'anna@acme.example', email_verified: true, given_name: 'Cora', family_name: 'Cedar' },
  'dora-sub': { email: 'dora@other.example', email_verified: true },
};

async function connected(fields: Record<string, unknown> = {}, tenantFields = {}) {
  const tenant = await newTenant(service, tenantFields);
  const callback = (id: string) => `${service.baseUrl}/sso/${tenant.TenantID}/callback/${id}`;
  const provider = await startProvider([callback('acme'), callback('other')], accounts);
  after(provider.close);
  const put = (body: object, id = 'acme') =>
    tenant.api('PUT', `/identity-provider/${id}`, {
      Issuer: provider.issuer,
      ClientID: provider.clientId,
      ClientSecret: provider.clientSecret,
      ...body,
    });
  expectStatus(await put(fields), 201);
  const start = `${service.baseUrl}/sso/${tenant.TenantID}/start`;
  const session = async (browser: ReturnType<typeof plainBrowser>) => {
    const reply = await browser.visit(`${service.baseUrl}/session`);
    return {
      status: reply.status,
      body: (await (reply as unknown as Response).json()) as Record<string, unknown>,
    };
  };
  return { ...tenant, provider, put, start, session };
}

const isConsole = /\/console\/$/;

test('a user is linked by verified email, keeps LoginID and is known by subject afterwards', async () => {
  const { api, start, session, provider } = await connected({ LinkBy: 'Email', SignOut: true });
  expectStatus(await api('POST', '/user', { LoginID: 'E-1', Email: 'Anna@acme.example' }), 201);
  const browser = plainBrowser();
  const { at } = await browser.signIn(start, 'anna-sub', isConsole);
  assert.match(at, isConsole);
  const own = await session(browser);
  assert.equal(own.body.LoginID, 'E-1');
  assert.equal(own.body.Role, 'learner');
  assert.equal(own.body.FirstName, 'Anna');
  assert.match(String(own.body.SignOutURL), /\/sso\/[^/]+\/sign-out\/acme$/);
  const signOut = await browser.visit(String(own.body.SignOutURL));
  assert.match(signOut.headers.get('location') ?? '', new RegExp(`^${provider.issuer}/session/end`));
  // The address changes; the account stays the same person.
  expectStatus(await api('PUT', '/user/E-1', { Email: 'a.new@acme.example' }), 200);
  const again = plainBrowser();
  await again.signIn(start, 'anna-sub', isConsole);
  assert.equal((await session(again)).body.LoginID, 'E-1');
});

test('nobody takes over a user by an unverified address, by another account or by another provider', async () => {
  const { api, start, session, put } = await connected({ LinkBy: 'Email' });
  await put({ LinkBy: 'Email' }, 'other');
  for (const [LoginID, Email] of [
    ['A', 'anna@acme.example'],
    ['B', 'ben@acme.example'],
  ])
    expectStatus(await api('POST', '/user', { LoginID, Email }), 201);
  const refused = async (account: string, provider = 'acme') => {
    const browser = plainBrowser();
    const { reply } = await browser.signIn(`${start}?ProviderID=${provider}`, account, isConsole);
    assert.equal(reply.status, 403, account);
    assert.equal((await session(browser)).status, 401);
    return (reply as unknown as Response).text();
  };
  assert.match(await refused('ben-sub'), /verified/);
  const anna = plainBrowser();
  await anna.signIn(`${start}?ProviderID=acme`, 'anna-sub', isConsole);
  assert.equal((await session(anna)).body.LoginID, 'A');
  assert.match(await refused('cora-sub'), /another account/);
  assert.match(await refused('cora-sub', 'other'), /another account/);
  assert.match(await refused('dora-sub'), /no user here/);
  const trail = (await api('GET', '/audit?Order=newest&Limit=5')).body.Items;
  assert.match(trail[0].Data.Cause, /No user belongs/);
  expectStatus(await api('PUT', '/user/A', { Enabled: false }), 200);
  assert.equal((await session(anna)).status, 401);
  assert.match(await refused('anna-sub'), /disabled/);
});

test('an administrator unlinks an account that was created again', async () => {
  const { api, start, session } = await connected({ LinkBy: 'Email' });
  expectStatus(await api('POST', '/user', { LoginID: 'A', Email: 'anna@acme.example' }), 201);
  await plainBrowser().signIn(start, 'anna-sub', isConsole);
  expectStatus(await api('DELETE', '/identity-provider/acme/user/A'), 204);
  const browser = plainBrowser();
  await browser.signIn(start, 'cora-sub', isConsole);
  assert.equal((await session(browser)).body.LoginID, 'A');
  const { body } = await api('GET', '/user/A/export');
  assert.equal(JSON.parse(JSON.stringify(body)).Identities?.[0]?.Subject, 'cora-sub');
  expectStatus(await api('DELETE', '/user/A'), 200);
  expectProblem(await api('DELETE', '/identity-provider/acme/user/A'), 404, 'user_not_found');
});

test('users are created with attributes and groups, which decide who is an administrator', async () => {
  const { api, start, session } = await connected({
    CreateUsers: true,
    LoginIDClaim: 'sub',
    Claims: { FirstName: 'given_name', LastName: 'family_name', Email: 'email', GroupName: 'groups' },
    GroupClaim: 'groups',
    AdministratorGroups: ['Admins'],
  });
  const browser = plainBrowser();
  await browser.signIn(start, 'anna-sub', isConsole);
  assert.equal((await session(browser)).body.Role, 'administrator');
  const { body } = await api('GET', '/user/anna-sub');
  assert.deepEqual(
    [body.FirstName, body.LastName, body.Email, body.GroupName, body.IsAdmin],
    ['Anna', 'Ash', 'anna@acme.example', 'Admins', true],
  );
  accounts['anna-sub'].groups = ['Sales'];
  await plainBrowser().signIn(start, 'anna-sub', isConsole);
  assert.equal((await session(browser)).body.Role, 'learner');
  accounts['anna-sub'].groups = ['Sales', 'Admins'];
  await plainBrowser().signIn(start, 'ben-sub', isConsole);
  assert.equal((await api('GET', '/user/ben-sub')).body.IsAdmin, false);
});

test('the address of the return belongs to the browser, the provider and the tenant that started it', async () => {
  const { start, put, TenantID } = await connected({ CreateUsers: true });
  await put({ CreateUsers: true }, 'other');
  const other = await connected({ CreateUsers: true });
  const browser = plainBrowser();
  const { at } = await browser.signIn(`${start}?ProviderID=acme`, 'anna-sub', /\/callback\//);
  const elsewhere = await plainBrowser().visit(at);
  assert.equal(elsewhere.status, 400);
  for (const changed of [
    at.replace('/acme?', '/other?'),
    at.replace(TenantID, other.TenantID),
    at.replace(/state=[^&]+/, 'state=x'),
  ])
    assert.ok([400, 404].includes((await browser.visit(changed)).status), changed);
  const forged = await browser.visit(at.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fevil.example'));
  assert.equal(forged.status, 403);
  const denied = plainBrowser();
  assert.equal((await denied.signIn(`${start}?ProviderID=acme`, '', isConsole)).reply.status, 403);
});

test('the provider is chosen by parameter, by email domain, or by the user', async () => {
  const { put, start, TenantID } = await connected({ Name: 'Acme <b>', Domains: ['acme.example'] });
  expectStatus(await put({ Domains: ['other.example'] }, 'other'), 201);
  const choice = await fetch(start, { redirect: 'manual' });
  assert.equal(choice.status, 200);
  assert.match(await choice.text(), /Acme &lt;b&gt;.*ProviderID=other/s);
  const home = await fetch(`${start}?email=X@OTHER.example`, { redirect: 'manual' });
  assert.match(home.headers.get('location') ?? '', /callback%2Fother.*login_hint=X%40OTHER.example/);
  const list = await service.api('GET', `/sso/${TenantID}/provider?Email=a@acme.example`, undefined, '');
  assert.deepEqual(
    list.body.Items.map(({ ProviderID }: { ProviderID: string }) => ProviderID),
    ['acme'],
  );
  assert.deepEqual((await service.api('GET', '/sso/nobody/provider', undefined, '')).body, { Items: [] });
  assert.equal((await fetch(`${start}?ProviderID=none`, { redirect: 'manual' })).status, 404);
  for (const path of ['//evil.example', '/\\evil.example', 'https://evil.example'])
    assert.notEqual(
      (await fetch(`${start}?ProviderID=acme&ReturnPath=${encodeURIComponent(path)}`, { redirect: 'manual' }))
        .status,
      303,
    );
});

test('the configuration is checked, its secret is kept, and the connection test names the failing step', async () => {
  const { api, put, provider } = await connected();
  expectProblem(await api('PUT', '/identity-provider/new', {}), 422, 'validation_failed', 'Issuer');
  expectProblem(await put({ Issuer: 'http://10.0.0.1/' }), 422, 'webhook_address_refused', 'Issuer');
  expectProblem(await put({ Scopes: ['profile'] }), 422, 'validation_failed', 'Scopes');
  expectProblem(await put({ RequiredForAdministrators: true }), 409, 'provider_not_ready');
  const moved = { Issuer: 'http://127.0.0.1:9/' };
  expectProblem(await api('PUT', '/identity-provider/acme', moved), 422, 'validation_failed', 'ClientSecret');
  const read = await api('GET', '/identity-provider/acme');
  assert.equal(read.body.HasClientSecret, true);
  assert.doesNotMatch(JSON.stringify(read.body), /battery/);
  const tried = async () => (await api('POST', '/identity-provider/acme/test')).body;
  assert.deepEqual([(await tried()).Passed, (await tried()).Steps.length], [true, 4]);
  await put({ ClientSecret: 'wrong' });
  const refused = await tried();
  assert.deepEqual([refused.Passed, refused.Steps.at(-1).Step], [false, 'client']);
  await put({ Issuer: `${provider.issuer}/nothing`, ClientSecret: 'x' });
  assert.equal((await tried()).Steps.at(-1).Step, 'discovery');
  expectStatus(await api('DELETE', '/identity-provider/acme'), 200);
  expectProblem(await api('GET', '/identity-provider/acme'), 404, 'provider_not_found');
});

test('a launch that requires a sign-in keeps its return URL and is only for its learner', async () => {
  const { api, start, put } = await connected({ LinkBy: 'Email', CreateUsers: true });
  void start;
  const CourseID = await newCourse(service, { RequireSignIn: true });
  const LoginID = unique('learner');
  expectStatus(await api('POST', '/user', { LoginID, Email: 'anna@acme.example' }), 201);
  const { LaunchURL, EnrollID } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const back = 'https://portal.example/done?a=1&b=2';
  const clicked = `${LaunchURL}&returnURL=${back}`;
  const { at } = await plainBrowser().signIn(clicked, 'anna-sub', /\/play\//);
  const ticket = at.split('/play/')[1] ?? '';
  const [, , returnUrl] = JSON.parse(Buffer.from(ticket.split('.')[0] ?? '', 'base64url').toString());
  assert.equal(returnUrl, back);
  const other = await plainBrowser().signIn(clicked, 'dora-sub', /\/play\//);
  assert.equal(other.reply.status, 403);
  const page = await (other.reply as unknown as Response).text();
  assert.match(page, /somebody else/);
  const [again = ''] = /\/sso\/[^"]*AsAnother=true[^"]*/.exec(page.replaceAll('&amp;', '&')) ?? [];
  const asksAgain = await fetch(service.baseUrl + again, { redirect: 'manual' });
  assert.match(asksAgain.headers.get('location') ?? '', /prompt=login/);
  const framed = await fetch(clicked, { redirect: 'manual', headers: { 'sec-fetch-dest': 'iframe' } });
  assert.equal(framed.status, 200);
  assert.match(await framed.text(), /window of its own/);
  const asked = async () => (await api('GET', `/enrolment/${LoginID}/${EnrollID}/explain`)).body.Rules.at(-1);
  assert.match((await asked()).Detail, /asks the learner to sign in/);
  await put({ Enabled: false });
  assert.equal((await plainBrowser().signIn(clicked, 'anna-sub')).reply.status, 403);
  assert.deepEqual([(await asked()).Rule, (await asked()).Passed], ['signed_in', false]);
  expectProblem(await api('PUT', '/settings', { RequireSignIn: true }), 409, 'sign_in_unavailable');
  await put({ Enabled: true });
  const free = (await api('POST', `/enrol/${LoginID}/${await newCourse(service)}`)).body.LaunchURL;
  assert.match((await fetch(free, { redirect: 'manual' })).headers.get('location') ?? '', /\/play\//);
  expectStatus(await api('PUT', '/settings', { RequireSignIn: true }), 200);
  assert.match((await fetch(free, { redirect: 'manual' })).headers.get('location') ?? '', /\/sso\//);
  expectProblem(await put({ Enabled: false }), 409, 'sign_in_unavailable');
  expectProblem(await api('DELETE', '/identity-provider/acme'), 409, 'sign_in_unavailable');
  expectStatus(await put({}, 'other'), 201);
  expectStatus(await api('DELETE', '/identity-provider/acme'), 200);
});

test('a course that requires a sign-in requires it in a path that does not', async () => {
  const { api } = await connected({ LinkBy: 'Email' });
  const [CourseID, pathId] = [await newCourse(service, { RequireSignIn: true }), unique('path')];
  const LoginID = unique('learner');
  expectStatus(await api('POST', '/user', { LoginID, Email: 'anna@acme.example' }), 201);
  const path = { Title: 'Path', Steps: [{ CourseIDs: [CourseID] }] };
  expectStatus(await api('PUT', `/course/${pathId}/path`, path), 201);
  const { LaunchURL } = (await api('POST', `/enrol/${LoginID}/${pathId}`)).body;
  const back = 'https://portal.example/done';
  assert.equal((await fetch(LaunchURL, { redirect: 'manual' })).status, 200);
  const part = `${LaunchURL}&part=${CourseID}&returnURL=${back}`;
  assert.match((await fetch(part, { redirect: 'manual' })).headers.get('location') ?? '', /\/sso\//);
  const { at } = await plainBrowser().signIn(part, 'anna-sub', /\/play\//);
  assert.match(at, /\/play\//);
});

test('a course requires a sign-in only if the tenants to which it is offered have a provider', async () => {
  const [ready, bare] = [await connected(), await newTenant(service)];
  const CourseID = await newCourse(service);
  const change = (Tenants: string[]) =>
    service.api('PUT', `/course/${CourseID}`, { Tenants, RequireSignIn: true });
  const refused = await change([ready.TenantID, bare.TenantID]);
  expectProblem(refused, 409, 'sign_in_unavailable', 'RequireSignIn');
  assert.match(refused.body.detail, new RegExp(bare.TenantID));
  expectStatus(await change([ready.TenantID]), 200);
  expectProblem(await change([bare.TenantID]), 409, 'sign_in_unavailable');
});

test('administrators need the provider, except with a passkey', async () => {
  const { api, put, TenantID, start, session } = await connected(
    { LinkBy: 'LoginID' },
    { PasswordHash: 'sha256-hex' },
  );
  const Password = 'ab'.repeat(32);
  for (const LoginID of ['chief', 'deputy'])
    expectStatus(await api('POST', '/user', { LoginID, IsAdmin: true, Password }), 201);
  expectStatus(await api('POST', '/user', { LoginID: 'learner', Password }), 201);
  const signIn = (LoginID: string) => service.api('POST', '/session', { TenantID, LoginID, Password }, '');
  const before = (await signIn('deputy')).headers.get('set-cookie')?.split(';')[0] ?? '';
  await leavePasskey(service, { TenantID, LoginID: 'chief' }, 'safe');
  expectStatus(await put({ RequiredForAdministrators: true }), 200);
  expectProblem(await signIn('deputy'), 401, 'sign_in_failed');
  expectProblem(await service.api('GET', '/session', undefined, '', { cookie: before }), 401, 'signed_out');
  assert.equal((await signIn('chief')).body.NextStep, 'use_passkey');
  expectStatus(await signIn('learner'), 200);
  const browser = plainBrowser();
  await browser.signIn(start, 'deputy', isConsole);
  assert.deepEqual(
    [(await session(browser)).body.Role, (await session(browser)).body.NextStep],
    ['administrator', null],
  );
  expectStatus(await put({ Enabled: false }), 200);
  expectStatus(await signIn('deputy'), 200);
});

test('sessions from a provider have no more scopes than the key that configured it', async () => {
  const { api, start, session, TenantID, provider } = await connected();
  const keyWith = async (Scopes: readonly string[]) =>
    (await service.api('POST', `/tenant/${TenantID}/key`, { Name: 'few scopes', Scopes })).body.Secret;
  const body = { LinkBy: 'LoginID', ClientSecret: provider.clientSecret };
  const put = async (Scopes: readonly string[]) =>
    service.api('PUT', '/identity-provider/acme', body, await keyWith(Scopes));
  const own = ['users:admin', 'connections:write'] as const;
  const refused = await put([...own, 'users:read']);
  expectProblem(refused, 403, 'scope_missing');
  assert.match(refused.body.detail, /learners need enrolments:read/);
  expectStatus(await put([...own, ...learnerScopes]), 200);
  expectStatus(await api('POST', '/user', { LoginID: 'chief', IsAdmin: true }), 201);
  const browser = plainBrowser();
  await browser.signIn(start, 'chief', isConsole);
  const { Scopes } = (await session(browser)).body;
  assert.deepEqual(new Set(Scopes as string[]), new Set([...own, ...learnerScopes]));
});
