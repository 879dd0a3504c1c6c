import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { otherNode, serve } from '../../../test/support/nodes.ts';
import {
  addWith,
  hashOf,
  newAuthenticator,
  signInByPassword,
  useHostName,
} from '../../../test/support/passkeys.ts';
import { startService } from '../../../test/support/service.ts';
import { browser, ownPage, signInUser } from '../../../test/support/sign-in.ts';
import { startMailServer } from '../../../test/support/smtp.ts';
import { expectStatus, newTenant, type TestTenant, unique } from '../../../test/support/tenant.ts';
import { sendMails } from '../mail/send.ts';

const server = await startMailServer();
const clock = movableClock();
const service = await startService({
  now: clock.now,
  env: { SMTP_URL: server.url, MAIL_FROM: 'noreply@lectern.example', MAIL_RATE_LIMIT: '5' },
});
after(async () => {
  await service.close();
  await server.close();
});
useHostName(service);
beforeEach(() => {
  server.mails = [];
  clock.advance({ hours: 2 });
});

const [old, chosen] = [hashOf('old password'), hashOf('new password')];
const person = ({ user }: TestTenant, fields: object = {}) =>
  user({ FirstName: 'Ann', Email: `${unique('ann')}@acme.example`, ...fields });
const setPassword = async ({ api }: TestTenant, LoginID: string, Password = old) =>
  expectStatus(await api('PUT', `/user/password/${LoginID}`, { Password }), 204);
async function sent() {
  server.mails = [];
  await sendMails(service.ctx);
  return server.mails.map(({ headers, text }) => ({ subject: headers.get('subject') ?? '', text }));
}
const subjects = async () => (await sent()).map(({ subject }) => subject);

test('users get an email when their password is changed, but not when they get their first one', async () => {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const LoginID = await person(tenant);
  await setPassword(tenant, LoginID);
  assert.deepEqual(await subjects(), []);
  await setPassword(tenant, LoginID, chosen);
  const [byKey] = await sent();
  assert.equal(byKey?.subject, 'Your password for Acme was changed');
  assert.match(byKey?.text ?? '', /^Hello Ann,\n\nAcme set a new password for your account on .+ UTC\./);
  assert.doesNotMatch(byKey?.text ?? '', /http/);

  const page = browser(service, await signInUser(service, tenant, LoginID));
  const change = { OldPassword: chosen, Password: old };
  expectStatus(await page('PUT', '/session/password', change, ownPage), 204);
  const [own] = await sent();
  assert.match(own?.text ?? '', /The password for your account with Acme was changed on .+ UTC\./);
  assert.match(own?.text ?? '', /If this was not you, choose “Forgot your password\?”/);

  const { body } = await tenant.api('POST', '/invitation', { LoginID, Notify: false });
  const Token = new URL(body.InvitationURL).hash.slice(1);
  const accepted = await service.api('POST', '/session/invitation', { Token, Password: chosen }, '', ownPage);
  expectStatus(accepted, 200);
  assert.deepEqual(await subjects(), ['Your password for Acme was changed']);
  const { rows } = await service.ctx.engine.query<{ urgent: boolean }>({
    text: `select urgent from mail where tenant_id = $1 and kind = 'password_changed' order by mail_id`,
    values: [tenant.TenantID],
  });
  assert.deepEqual(
    rows.map(({ urgent }) => urgent),
    [false, false, false],
  );
});

test('a user who resets the password gets the link and then an email about the change', async () => {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const LoginID = await person(tenant);
  await setPassword(tenant, LoginID);
  await service.api('POST', '/session/reset', { TenantID: tenant.TenantID, LoginID }, '', ownPage);
  const [link] = await sent();
  const url = /http\S+/.exec(link?.text ?? '')?.[0] ?? '';
  const body = { Token: new URL(url).hash.slice(1), Password: chosen };
  expectStatus(await service.api('PUT', '/session/reset', body, '', ownPage), 200);
  assert.deepEqual(await subjects(), ['Your password for Acme was changed']);
});

test('passwords that an application synchronises cause no email', async () => {
  const tenant = await newTenant(service, { PasswordHash: 'sha256-hex' });
  const LoginID = await person(tenant, { Password: old });
  expectStatus(await tenant.api('PUT', `/user/${LoginID}`, { Password: chosen }), 200);
  assert.deepEqual(await subjects(), []);
});

test('emails about passwords that an application sets count towards the hourly limit', async () => {
  const tenant = await newTenant(service);
  for (let n = 0; n < 7; n++) {
    const LoginID = await person(tenant);
    for (const password of [old, chosen]) await setPassword(tenant, LoginID, password);
  }
  assert.equal((await sent()).length, 5);
  clock.advance({ hours: 1 });
  assert.equal((await sent()).length, 2);
});

for (const [Language, added, removed, all, signedOut, changed] of [
  [
    'en',
    'A passkey was added to your account with Acme',
    'A passkey was removed from your account with Acme',
    'All passkeys were removed from your account with Acme',
    ['signed out on your other devices', 'signed out on all devices'],
    'Your password for Acme was changed',
  ],
  [
    'de',
    'Zu Ihrem Konto bei Acme wurde ein Passkey hinzugefügt',
    'Aus Ihrem Konto bei Acme wurde ein Passkey entfernt',
    'Aus Ihrem Konto bei Acme wurden alle Passkeys entfernt',
    ['Auf Ihren anderen Geräten wurden Sie abgemeldet', 'auf allen Geräten abgemeldet'],
    'Ihr Passwort für Acme wurde geändert',
  ],
  [
    'fr',
    'Une clé d’accès a été ajoutée à votre compte chez Acme',
    'Une clé d’accès a été supprimée de votre compte chez Acme',
    'Toutes les clés d’accès de votre compte chez Acme ont été supprimées',
    ['déconnecté de vos autres appareils', 'déconnecté de tous vos appareils'],
    'Votre mot de passe pour Acme a été modifié',
  ],
] as const)
  test(`administrators get an email about each change to their passkeys: ${Language}`, async () => {
    const tenant = await newTenant(service, { Name: 'Acme', Language, PasswordHash: 'sha256-hex' });
    const LoginID = await person(tenant, { Password: hashOf('right'), IsAdmin: true });
    const names = { TenantID: tenant.TenantID, LoginID };
    const { page } = await signInByPassword(service, names);
    const first = await addWith(service, page, newAuthenticator(service));
    assert.deepEqual(await subjects(), [added]);
    const two = await addWith(service, first.page, newAuthenticator(service));
    assert.deepEqual(await subjects(), [added]);
    const { body } = await two.page('GET', '/session/passkey');
    const path = `/session/passkey/${body.Items[0].PasskeyID}`;
    expectStatus(await two.page('DELETE', path, undefined, ownPage), 204);
    const [own] = await sent();
    assert.equal(own?.subject, removed);
    assert.ok(own.text.includes(signedOut[0]), own.text);
    // The administrator's page removes all passkeys of a user, who may be the administrator.
    expectStatus(await two.page('DELETE', `/user/${LoginID}/passkey`, undefined, ownPage), 204);
    const [allOwn] = await sent();
    assert.equal(allOwn?.subject, all);
    assert.ok(allOwn.text.includes(signedOut[1]), allOwn.text);
    assert.equal(allOwn.text.split('\n').at(-1), own.text.split('\n').at(-1));
    clock.advance({ hours: 2 });
    const again = await signInByPassword(service, names);
    await addWith(service, again.page, newAuthenticator(service));
    assert.deepEqual(await subjects(), [added]);
    expectStatus(await tenant.api('DELETE', `/user/${LoginID}/passkey`), 204);
    const [byKey] = await sent();
    assert.equal(byKey?.subject, all);
    assert.ok(byKey.text.includes(signedOut[1]), byKey.text);
    assert.notEqual(byKey.text, allOwn.text);
    await setPassword(tenant, LoginID, hashOf('other'));
    assert.deepEqual(await subjects(), [changed]);
  });

test('a warning goes to the address that the user had when the account was changed', async () => {
  const tenant = await newTenant(service);
  const Email = `${unique('ann')}@acme.example`;
  const LoginID = await person(tenant, { Email });
  for (const password of [old, chosen]) await setPassword(tenant, LoginID, password);
  for (const address of [`${unique('other')}@acme.example`, null])
    expectStatus(await tenant.api('PUT', `/user/${LoginID}`, { Email: address }), 200);
  await sent();
  assert.deepEqual(
    server.mails.map(({ to }) => to),
    [[Email]],
  );
});

test('while an email about a changed password waits, the user gets no other one, but still gets resets', async () => {
  const [tenant, other] = [await newTenant(service, { Name: 'Acme' }), await newTenant(service)];
  const Email = `${unique('ann')}@acme.example`;
  const LoginID = await person(tenant, { Email });
  const same = await person(tenant, { Email });
  await person(other, { LoginID, Email });
  const change = async (of: TestTenant, loginId: string, times: number) => {
    for (let n = 0; n < times; n++) await setPassword(of, loginId, hashOf(`password ${n}`));
  };
  await change(tenant, LoginID, 5);
  await change(tenant, same, 3);
  await change(other, LoginID, 3);
  const names = { TenantID: tenant.TenantID, LoginID };
  await service.api('POST', '/session/reset', names, '', ownPage);
  await change(tenant, LoginID, 2);
  await service.api('POST', '/session/reset', names, '', ownPage);
  const changed = 'Your password for Acme was changed';
  const found = await subjects();
  assert.equal(found.filter((subject) => subject === changed).length, 2, 'one for each user of the tenant');
  assert.equal(found.length, 4, 'one of the other tenant, and the last reset, which replaces the first');
  await change(tenant, LoginID, 3);
  assert.deepEqual(await subjects(), [changed], 'none waits any more');

  await change(tenant, LoginID, 2);
  const address = `${unique('new')}@acme.example`;
  expectStatus(await tenant.api('PUT', `/user/${LoginID}`, { Email: address }), 200);
  await change(tenant, LoginID, 2);
  await sent();
  assert.deepEqual(server.mails.map(({ to }) => to).toSorted(), [[Email], [address]]);
});

test('an email that will not be sent does not keep a user from getting the next one', async () => {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const LoginID = await person(tenant);
  const changed = ['Your password for Acme was changed'];
  for (const password of [old, chosen]) await setPassword(tenant, LoginID, password);
  clock.advance({ days: 8 });
  await setPassword(tenant, LoginID, old);
  assert.deepEqual(await subjects(), changed, 'the first one has expired');
  await setPassword(tenant, LoginID, chosen);
  for (const Status of ['suspended', 'active']) {
    clock.advance({ minutes: 1 });
    expectStatus(await service.api('PUT', `/tenant/${tenant.TenantID}`, { Status }), 200);
  }
  clock.advance({ minutes: 1 });
  await setPassword(tenant, LoginID, old);
  assert.deepEqual(await subjects(), changed, 'the suspension cancelled the first one');
});

test('changes on two nodes at the same time queue one email', async () => {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const LoginID = await person(tenant);
  await setPassword(tenant, LoginID);
  const nodes = await Promise.all([serve(otherNode(service.ctx)), serve(otherNode(service.ctx))]);
  const change = (n: number) =>
    nodes[n % nodes.length]?.api.inject({
      method: 'PUT',
      url: `/user/password/${LoginID}`,
      headers: { authorization: `Bearer ${tenant.key}` },
      payload: { Password: hashOf(`password ${n}`) },
    });
  const replies = await Promise.all(Array.from({ length: 10 }, (_, n) => change(n)));
  assert.deepEqual(new Set(replies.map((reply) => reply?.statusCode)), new Set([204]));
  for (const node of nodes) await node.close();
  assert.deepEqual(await subjects(), ['Your password for Acme was changed']);
});

test('nobody gets an email without an address, or after a bounce', async () => {
  const tenant = await newTenant(service);
  const without = await person(tenant, { Email: null });
  const Email = `${unique('bob')}@acme.example`;
  const bounced = await person(tenant, { Email });
  for (const password of [old, chosen]) await setPassword(tenant, without, password);
  await setPassword(tenant, bounced, old);
  expectStatus(await tenant.api('POST', '/mail/bounce', { EmailAddress: Email, Kind: 'permanent' }), 200);
  await setPassword(tenant, bounced, chosen);
  assert.deepEqual(await subjects(), []);
});
