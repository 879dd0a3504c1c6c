import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { movableClock } from '../../../../test/support/clock.ts';
import {
  addWith,
  challengeOf,
  hashOf,
  newAuthenticator,
  pageAfter,
  signInByPassword,
  useHostName,
  useWith,
} from '../../../../test/support/passkeys.ts';
import { startService } from '../../../../test/support/service.ts';
import {
  type Browser,
  browser,
  ownPage,
  signInOperator,
  signInUser,
  useLink,
} from '../../../../test/support/sign-in.ts';
import { startMailServer } from '../../../../test/support/smtp.ts';
import { expectProblem, expectStatus, newTenant } from '../../../../test/support/tenant.ts';
import type { Config } from '../../../infra/context/config.ts';
import { deployment } from '../../audit/chain.ts';
import { sendMails } from '../../mail/send.ts';
import { createOperatorLink } from '../operator-links.ts';

const clock = movableClock();
const server = await startMailServer();
const service = await startService({
  now: clock.now,
  env: { SMTP_URL: server.url, MAIL_FROM: 'noreply@lectern.example' },
});
after(async () => {
  await service.close();
  await server.close();
});
useHostName(service);
const Email = 'ann@acme.example';
const required = await newTenant(service, { PasswordHash: 'sha256-hex', SecondFactor: 'required' });
const optional = await newTenant(service, { PasswordHash: 'sha256-hex' });

const administrator = async (tenant: typeof required, fields: object = {}) => {
  const LoginID = await tenant.user({ Password: hashOf('right'), IsAdmin: true, Email, ...fields });
  return { TenantID: tenant.TenantID, LoginID };
};
const stepOf = async (page: Browser) => (await page('GET', '/session')).body.NextStep;
const post = (path: string, body: object, method = 'POST') => service.api(method, path, body, '', ownPage);

async function expectOnly(page: Browser, step: string) {
  assert.equal(await stepOf(page), step);
  for (const [method, path, body] of [
    ['GET', '/user', undefined],
    ['GET', '/key', undefined],
    ['POST', '/key', { Name: 'mine' }],
    ['POST', '/user', { LoginID: 'made-without-passkey' }],
    ['GET', '/enrolment', undefined],
    ['GET', '/audit', undefined],
    ['GET', '/catalogue/course', undefined],
    ['GET', '/overview', undefined],
    ['PUT', '/session/password', { OldPassword: hashOf('right'), Password: hashOf('other') }],
  ] as const)
    expectProblem(await page(method, path, body), 403, 'passkey_required');
}

/** Signs in through each path that does not use an API key's link. */
const paths: Record<string, (names: { TenantID: string; LoginID: string }) => Promise<Browser>> = {
  password: async (names) => (await signInByPassword(service, names)).page,
  invitation: async ({ TenantID, LoginID }) => {
    const tenant = TenantID === required.TenantID ? required : optional;
    const { body } = await tenant.api('POST', '/invitation', { LoginID, Notify: false });
    const Token = new URL(body.InvitationURL).hash.slice(1);
    return pageAfter(service, await post('/session/invitation', { Token, Password: hashOf('right') }));
  },
  reset: async (names) => {
    // Emails about earlier changes.
    await sendMails(service.ctx);
    server.mails = [];
    clock.advance({ hours: 2 });
    const { TenantID, LoginID } = names;
    expectStatus(await post('/session/reset', { TenantID, LoginID }), 204);
    await sendMails(service.ctx);
    const url = /http\S+/.exec(server.mails.at(-1)?.text ?? '')?.[0] ?? '';
    const body = { Token: new URL(url).hash.slice(1), Password: hashOf('right') };
    return pageAfter(service, await post('/session/reset', body, 'PUT'));
  },
  "a colleague's link": async ({ TenantID, LoginID }) => {
    const tenant = TenantID === required.TenantID ? required : optional;
    const colleague = await administrator(tenant);
    const page = browser(service, await signInUser(service, tenant, colleague.LoginID));
    const made = await page('POST', `/user/session/${LoginID}`, {});
    expectStatus(made, 201);
    return browser(service, await useLink(service, made.body.SignInURL));
  },
  "the operator's link from the console": async ({ TenantID, LoginID }) => {
    const page = browser(service, await signInOperator(service));
    const headers = { ...ownPage, tenant: TenantID };
    const made = await page('POST', `/user/session/${LoginID}`, {}, headers);
    expectStatus(made, 201);
    return browser(service, await useLink(service, made.body.SignInURL));
  },
};

for (const [name, open] of Object.entries(paths)) {
  test(`signing in by ${name} asks for the passkey of an administrator who has one`, async () => {
    for (const tenant of [optional, required]) {
      const names = await administrator(tenant);
      const key = newAuthenticator(service);
      await addWith(service, (await signInByPassword(service, names)).page, key);
      clock.advance({ seconds: 1 });
      const page = await open(names);
      await expectOnly(page, 'use_passkey');
      assert.equal(await stepOf(await useWith(service, page, key)), null);
    }
  });

  test(`signing in by ${name} only allows adding a passkey if the tenant requires one`, async () => {
    const page = await open(await administrator(required));
    await expectOnly(page, 'add_passkey');
    const added = await addWith(service, page, newAuthenticator(service));
    assert.equal(await stepOf(added.page), null);
    expectStatus(await added.page('GET', '/user'), 200);
    expectProblem(await added.page('DELETE', `/session/passkey/${added.PasskeyID}`), 409, 'last_passkey');
    expectStatus(await added.page('GET', '/session/passkey'), 200);
  });
}

test('a link that an API key creates needs no passkey, because the application has identified the user', async () => {
  for (const tenant of [optional, required]) {
    const names = await administrator(tenant);
    const page = browser(service, await signInUser(service, tenant, names.LoginID));
    assert.equal(await stepOf(page), null);
    await addWith(service, page, newAuthenticator(service));
    const next = browser(service, await signInUser(service, tenant, names.LoginID));
    assert.equal(await stepOf(next), null);
  }
  expectStatus(await required.api('GET', '/user'), 200);
});

test('if a learner becomes an administrator, an earlier sign-in link does not skip the passkey', async () => {
  const LoginID = await required.user({ Password: hashOf('right') });
  const { body } = await required.api('POST', `/user/session/${LoginID}`);
  expectStatus(await required.api('PUT', `/user/${LoginID}`, { IsAdmin: true }), 200);
  assert.equal(await stepOf(browser(service, await useLink(service, body.SignInURL))), 'add_passkey');
});

test('a new requirement or a new administrator role applies to open sessions', async () => {
  const tenant = await newTenant(service, { PasswordHash: 'sha256-hex' });
  const names = await administrator(tenant);
  const { page, step } = await signInByPassword(service, names);
  assert.equal(step, null);
  const LoginID = await tenant.user({ Password: hashOf('right') });
  const learner = (await signInByPassword(service, { TenantID: tenant.TenantID, LoginID })).page;
  const changed = await service.api('PUT', `/tenant/${tenant.TenantID}`, { SecondFactor: 'required' });
  assert.equal(changed.body.SecondFactor, 'required');
  await expectOnly(page, 'add_passkey');
  assert.equal(await stepOf(learner), null);
  expectStatus(await tenant.api('PUT', `/user/${LoginID}`, { IsAdmin: true }), 200);
  await expectOnly(learner, 'add_passkey');
  expectStatus(await service.api('PUT', `/tenant/${tenant.TenantID}`, { SecondFactor: 'optional' }), 200);
  assert.equal(await stepOf(page), null);
  expectProblem(
    await page('PUT', `/tenant/${tenant.TenantID}`, { SecondFactor: 'required' }),
    403,
    'operator_only',
  );
});

test('after one session adds a passkey, the others must use it, even to end all sessions', async () => {
  const names = await administrator(optional);
  const [one, two] = [
    (await signInByPassword(service, names)).page,
    (await signInByPassword(service, names)).page,
  ];
  const key = newAuthenticator(service);
  const { page } = await addWith(service, one, key);
  await expectOnly(two, 'use_passkey');
  expectStatus(await two('DELETE', '/session?everywhere=true'), 204);
  assert.equal(await stepOf(page), null);
  expectProblem(await two('GET', '/session'), 401, 'signed_out');
});

test('a changed password keeps the session in which a passkey is added afterwards', async () => {
  const names = await administrator(optional);
  const { page } = await signInByPassword(service, names);
  clock.advance({ minutes: 1 });
  const change = { OldPassword: hashOf('right'), Password: hashOf('new') };
  expectStatus(await page('PUT', '/session/password', change), 204);
  clock.advance({ minutes: 1 });
  const added = await addWith(service, page, newAuthenticator(service));
  assert.equal(await stepOf(added.page), null);
});

test('the token of a session is not accepted as a key or in another form', async () => {
  const { TenantID, LoginID } = await administrator(required);
  const body = { TenantID, LoginID, Password: hashOf('right') };
  const cookie = (await post('/session', body)).headers.get('set-cookie')?.split(';')[0] ?? '';
  const token = cookie.slice(cookie.indexOf('=') + 1);
  for (const secret of [token, token.split('.')[1] ?? ''])
    expectProblem(await service.api('GET', '/user', undefined, secret), 401, 'unauthorized');
  const xapi = { cookie, ...ownPage, 'x-experience-api-version': '2.0.0' };
  const refused = await service.api('GET', '/xapi/statements', undefined, '', xapi);
  assert.ok([401, 403].includes(refused.status), JSON.stringify(refused.body));
  const own = await service.api('DELETE', `/user/${LoginID}/passkey`, undefined, '', { cookie, ...ownPage });
  expectProblem(own, 403, 'passkey_required');
});

test('a colleague, or a key with users:admin, removes the passkeys of a user who lost them', async () => {
  const names = await administrator(required);
  const key = newAuthenticator(service);
  const { page } = await addWith(service, (await signInByPassword(service, names)).page, key);
  const weak = await service.api('POST', `/tenant/${required.TenantID}/key`, {
    Name: 'weak',
    Scopes: ['users:read', 'users:write'],
  });
  const path = `/user/${names.LoginID}/passkey`;
  const partial = await service.api('POST', `/tenant/${required.TenantID}/key`, {
    Name: 'partial',
    Scopes: ['users:read', 'users:write', 'users:admin'],
  });
  for (const { body } of [weak, partial])
    expectProblem(await service.api('DELETE', path, undefined, body.Secret), 403, 'scope_missing');
  expectProblem(await optional.api('DELETE', path), 404, 'user_not_found');
  assert.equal((await required.api('GET', path)).body.Items.length, 1);
  clock.advance({ seconds: 1 });
  const boss = browser(service, await signInUser(service, required, (await administrator(required)).LoginID));
  for (let n = 0; n < 2; n++) expectStatus(await boss('DELETE', path), 204);
  expectProblem(await page('GET', '/session'), 401, 'signed_out');
  const { rows } = await sql<{ data: object; actor: string }>`
    select held.data, held.actor from audit_entry held
    where held.tenant_id = ${required.TenantID} and held.action = 'passkey.removed'`.execute(service.ctx.db);
  assert.deepEqual(rows, [{ data: { Passkeys: 1 }, actor: 'administrator' }]);
  const again = await signInByPassword(service, names);
  assert.equal(again.step, 'add_passkey');
  await addWith(service, again.page, newAuthenticator(service));
});

test('administrators who remove their own passkeys with the call for other users are signed out', async () => {
  const names = await administrator(required);
  const added = await addWith(
    service,
    (await signInByPassword(service, names)).page,
    newAuthenticator(service),
  );
  clock.advance({ seconds: 1 });
  expectStatus(await added.page('DELETE', `/user/${names.LoginID}/passkey`), 204);
  expectProblem(await added.page('GET', '/session'), 401, 'signed_out');
});

test('an export contains the passkeys, and an erasure removes them', async () => {
  const names = await administrator(optional);
  await addWith(service, (await signInByPassword(service, names)).page, newAuthenticator(service), 'My key');
  const { body } = await optional.api('GET', `/user/${names.LoginID}/export`);
  assert.equal(body.Passkeys[0].Name, 'My key');
  const erased = await optional.api('DELETE', `/user/${names.LoginID}`);
  const line = erased.body.Erased.find(({ Data }: { Data: string }) => Data === 'Passkeys');
  assert.equal(line.Records, 1);
  const { rows } = await sql`
    select 1 from passkey held where held.tenant_id = ${optional.TenantID} and held.name = 'My key'`.execute(
    service.ctx.db,
  );
  assert.equal(rows.length, 0);
});

test("the operator's sessions need the passkey, and a link from the command line removes it", async () => {
  const page = browser(service, await signInOperator(service));
  assert.equal(await stepOf(page), null);
  const key = newAuthenticator(service);
  const { page: own } = await addWith(service, page, key);
  const partial = browser(service, await signInOperator(service));
  assert.equal(await stepOf(partial), 'use_passkey');
  expectProblem(await partial('GET', '/tenant'), 403, 'passkey_required');
  const challenge = await challengeOf(partial, 'use');
  const wrong = newAuthenticator(service).get(challenge);
  expectProblem(await partial('POST', '/session/passkey/use', wrong), 422, 'passkey_rejected');
  const whole = await useWith(service, partial, key);
  expectStatus(await whole('GET', '/tenant'), 200);
  expectStatus(await own('GET', '/session/passkey'), 200);
  const { SignInURL } = await createOperatorLink(service.ctx, { removesPasskeys: true });
  const recovered = browser(service, await useLink(service, SignInURL));
  assert.equal(await stepOf(recovered), null);
  for (const ended of [whole, own]) expectProblem(await ended('GET', '/session'), 401, 'signed_out');
  const { rows } = await sql<{ action: string }>`
    select held.action from audit_entry held where held.tenant_id = ${deployment}
      and (held.action like 'passkey.%' or held.action like 'sign_in.%') order by held.number`.execute(
    service.ctx.db,
  );
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['passkey.added', 'sign_in.failed', 'sign_in.succeeded', 'passkey.removed'],
  );
});

test('with OPERATOR_PASSKEY_REQUIRED, the operator can only add a passkey until there is one', async () => {
  const config = service.ctx.config as { -readonly [K in keyof Config]: Config[K] };
  config.operatorPasskeyRequired = true;
  const page = browser(service, await signInOperator(service));
  assert.equal(await stepOf(page), 'add_passkey');
  expectProblem(await page('GET', '/tenant'), 403, 'passkey_required');
  const added = await addWith(service, page, newAuthenticator(service));
  expectStatus(await added.page('GET', '/tenant'), 200);
  expectProblem(await added.page('DELETE', `/session/passkey/${added.PasskeyID}`), 409, 'last_passkey');
  config.operatorPasskeyRequired = false;
  const second = await addWith(service, added.page, newAuthenticator(service), 'Second');
  const renamed = await second.page('PUT', `/session/passkey/${second.PasskeyID}`, { Name: 'Spare' });
  assert.equal(renamed.body.Name, 'Spare');
  for (const { PasskeyID } of [added, second])
    expectStatus(await second.page('DELETE', `/session/passkey/${PasskeyID}`), 204);
  assert.equal(await stepOf(second.page), null);
  expectStatus(await service.api('GET', '/tenant'), 200);
});

test('at an IP address, browsers do not allow passkeys, so they cannot be required', async () => {
  const config = service.ctx.config as { -readonly [K in keyof Config]: Config[K] };
  const { page } = await signInByPassword(service, await administrator(optional));
  config.baseUrl = service.baseUrl;
  const refused = [
    await page('POST', '/session/passkey/challenge', { Purpose: 'add' }),
    await service.api('POST', '/tenant', { TenantID: 'nowhere', SecondFactor: 'required' }),
    await service.api('PUT', `/tenant/${optional.TenantID}`, { SecondFactor: 'required' }),
  ];
  useHostName(service);
  for (const reply of refused) expectProblem(reply, 409, 'passkeys_unavailable');
});
