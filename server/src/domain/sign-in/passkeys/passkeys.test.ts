import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { movableClock } from '../../../../test/support/clock.ts';
import { otherNode, serve } from '../../../../test/support/nodes.ts';
import {
  addWith,
  challengeOf,
  type Fake,
  hashOf,
  newAuthenticator,
  pageAfter,
  signInByPassword,
  useHostName,
  useWith,
} from '../../../../test/support/passkeys.ts';
import { startService } from '../../../../test/support/service.ts';
import { type Browser, browser, ownPage, signInUser } from '../../../../test/support/sign-in.ts';
import { expectProblem, expectStatus, newTenant } from '../../../../test/support/tenant.ts';
import { tenantScopes } from '../../../infra/context/scopes.ts';
import { maxPasskeys } from './schemas.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
useHostName(service);
const tenant = await newTenant(service, { PasswordHash: 'sha256-hex' });
const { TenantID } = tenant;

const administrator = async (of = tenant) => {
  const LoginID = await of.user({ Password: hashOf('right'), IsAdmin: true });
  return { TenantID: of.TenantID, LoginID };
};
const signIn = (names: { TenantID: string; LoginID: string }) => signInByPassword(service, names);

/** An administrator with one passkey. `page` is the session that added it. */
async function withPasskey(of = tenant) {
  const names = await administrator(of);
  const key = newAuthenticator(service);
  const { page, PasskeyID } = await addWith(service, (await signIn(names)).page, key);
  return { ...names, key, page, PasskeyID };
}

const answer = (page: Browser, body: object) => page('POST', '/session/passkey/use', body);

async function expectStep(page: Browser, step: string | null) {
  const { body } = await page('GET', '/session');
  assert.deepEqual([body.NextStep, body.Scopes.length > 0], [step, step === null]);
  const listed = await page('GET', '/user');
  if (step === null) expectStatus(listed, 200);
  else expectProblem(listed, 403, 'passkey_required');
}

const failures = async (LoginID: string) => {
  const { rows } = await sql<{ data: { Method: string } }>`
    select held.data from audit_entry held join "user" known on known.tenant_id = ${TenantID}
      and held.target_id = known.user_id::text
    where held.tenant_id = ${TenantID} and held.action = 'sign_in.failed' and known.login_id = ${LoginID}`.execute(
    service.ctx.db,
  );
  return rows.map(({ data }) => data.Method);
};

test('after a passkey is added, the password alone opens a session that can do nothing else', async () => {
  const { key, page, ...names } = await withPasskey();
  await expectStep(page, null);
  const { page: partial, step } = await signIn(names);
  assert.equal(step, 'use_passkey');
  await expectStep(partial, 'use_passkey');
  for (const [method, path, body] of [
    ['PUT', '/session/password', { OldPassword: hashOf('right'), Password: hashOf('new') }],
    ['GET', '/session/passkey', undefined],
    ['PUT', `/session/passkey/${names.PasskeyID}`, { Name: 'x' }],
    ['DELETE', `/session/passkey/${names.PasskeyID}`, undefined],
    ['POST', '/session/passkey/challenge', { Purpose: 'add' }],
    ['POST', '/session/passkey', newAuthenticator(service).create('x')],
    ['DELETE', `/user/${names.LoginID}/passkey`, undefined],
    ['POST', `/user/session/${names.LoginID}`, {}],
    ['POST', '/key', { Name: 'x' }],
  ] as const)
    expectProblem(await partial(method, path, body), 403, 'passkey_required');
  const whole = await useWith(service, partial, key);
  await expectStep(whole, null);
  assert.deepEqual((await whole('GET', '/session')).body.Scopes, [...tenantScopes]);
  // The token from before the second step no longer works.
  expectProblem(await partial('GET', '/session'), 401, 'signed_out');
});

test('an answer is accepted once, and only from our own origin, for our host, with the user verified', async () => {
  const { key, ...names } = await withPasskey();
  const { page } = await signIn(names);
  const fakes: Fake[] = [
    { origin: 'https://evil.example' },
    { origin: service.contentUrl.replace('127.0.0.1', 'localhost') },
    { origin: `http://course.localhost:${new URL(service.baseUrl).port}` },
    { rpId: 'evil.example' },
    { rpId: 'course.localhost' },
    { flags: 0x01 },
    { flags: 0x04 },
    { type: 'webauthn.create' },
    { crossOrigin: true },
  ];
  for (const fake of fakes)
    expectProblem(await answer(page, key.get(await challengeOf(page, 'use'), fake)), 422, 'passkey_rejected');
  const right = key.get(await challengeOf(page, 'use'));
  const other = newAuthenticator(service).get('x');
  expectProblem(await answer(page, { ...right, Signature: other.Signature }), 422, 'passkey_rejected');
  // A wrong answer has used up the challenge.
  expectProblem(await answer(page, right), 422, 'passkey_rejected');
  const good = key.get(await challengeOf(page, 'use'));
  const used = await answer(page, good);
  expectStatus(used, 200);
  for (const replayed of [page, pageAfter(service, used)])
    assert.notEqual((await answer(replayed, good)).status, 200);
  assert.ok((await failures(names.LoginID)).every((method) => method === 'passkey'));
  assert.ok((await failures(names.LoginID)).length > 0);
});

test('a challenge belongs to one session, one purpose and five minutes', async () => {
  const ann = await withPasskey();
  const elsewhere = await newTenant(service, { PasswordHash: 'sha256-hex' });
  const [bob, cy] = [await withPasskey(), await withPasskey(elsewhere)];
  const { page } = await signIn(ann);
  for (const other of [ann, bob, cy]) {
    const challenge = await challengeOf((await signIn(other)).page, 'use');
    await challengeOf(page, 'use');
    expectProblem(await answer(page, ann.key.get(challenge)), 422, 'passkey_rejected');
  }
  // The passkey of somebody else, with this session's own challenge.
  for (const other of [bob, cy])
    expectProblem(await answer(page, other.key.get(await challengeOf(page, 'use'))), 422, 'passkey_rejected');
  const forAdding = await challengeOf(ann.page, 'add');
  expectProblem(await answer(ann.page, ann.key.get(forAdding)), 422, 'passkey_rejected');
  const first = await challengeOf(page, 'use');
  const second = await challengeOf(page, 'use');
  expectProblem(await answer(page, ann.key.get(first)), 422, 'passkey_rejected');
  expectProblem(await answer(page, ann.key.get(second)), 422, 'passkey_rejected');
  const late = await challengeOf(page, 'use');
  clock.advance({ minutes: 6 });
  expectProblem(await answer(page, ann.key.get(late)), 422, 'passkey_rejected');
});

test('when one answer is sent concurrently to two nodes, it is accepted once', async () => {
  const { key, ...names } = await withPasskey();
  const reply = await service.api(
    'POST',
    '/session',
    { TenantID, LoginID: names.LoginID, Password: hashOf('right') },
    '',
    ownPage,
  );
  const cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? '';
  const challenge = await challengeOf(browser(service, cookie), 'use');
  const nodes = [await serve(service.ctx), await serve(otherNode(service.ctx))] as const;
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      (n % 2 ? nodes[0] : nodes[1]).api.inject({
        method: 'POST',
        url: '/session/passkey/use',
        payload: key.get(challenge, { count: n + 1 }),
        headers: { cookie, ...ownPage },
      }),
    ),
  );
  await Promise.all(nodes.map((node) => node.close()));
  const statuses = replies.map(({ statusCode }) => statusCode);
  assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join());
});

test('a count that does not rise is rejected, because the authenticator may have been copied', async () => {
  const { key, ...names } = await withPasskey();
  await useWith(service, (await signIn(names)).page, key, { count: 5 });
  const { page } = await signIn(names);
  for (const count of [0, 4, 5])
    expectProblem(
      await answer(page, key.get(await challengeOf(page, 'use'), { count })),
      422,
      'passkey_rejected',
    );
  await expectStep(await useWith(service, page, key, { count: 6 }), null);
});

test('unexpected attestations and wrong answers to an add challenge are rejected', async () => {
  const { page } = await signIn(await administrator());
  const fakes: Fake[] = [
    { fmt: 'apple' },
    { fmt: 'tpm' },
    { fmt: 'packed' },
    { origin: 'https://evil.example' },
    { rpId: 'evil.example' },
    { flags: 0x41 },
    { type: 'webauthn.get' },
    { crossOrigin: true },
  ];
  for (const fake of fakes) {
    const body = newAuthenticator(service).create(await challengeOf(page, 'add'), fake);
    expectProblem(await page('POST', '/session/passkey', body), 422, 'passkey_rejected');
  }
  const other = newAuthenticator(service).create('x');
  const bytes = (hex: string) => Buffer.from(hex, 'hex').toString('base64url');
  for (const wrong of [
    { CredentialID: other.CredentialID },
    { AttestationObject: other.AttestationObject },
    { AttestationObject: 'AAAA' },
    { ClientData: 'AAAA' },
    // Arrays in arrays, and an array and a map with more items than there are bytes.
    { AttestationObject: bytes('81'.repeat(12_000)) },
    { AttestationObject: bytes('9b001fffffffffffff') },
    { AttestationObject: bytes('bbffffffffffffffff') },
  ]) {
    const right = newAuthenticator(service).create(await challengeOf(page, 'add'));
    expectProblem(await page('POST', '/session/passkey', { ...right, ...wrong }), 422, 'passkey_rejected');
  }
});

test('passkeys are listed, renamed and removed by their owner only; removal ends the other sessions', async () => {
  const { key, page, ...names } = await withPasskey();
  const second = newAuthenticator(service);
  const { page: own, PasskeyID } = await addWith(service, page, second, 'Phone');
  const other = await useWith(service, (await signIn(names)).page, key);
  const partial = (await signIn(names)).page;
  const { body } = await own('GET', '/session/passkey');
  assert.deepEqual(
    body.Items.map(({ Name, LastUsedAt }: { Name: string; LastUsedAt: string | null }) => [
      Name,
      LastUsedAt !== null,
    ]),
    [
      ['Laptop', true],
      ['Phone', false],
    ],
  );
  assert.deepEqual(Object.keys(body.Items[0]), ['PasskeyID', 'Name', 'CreatedAt', 'LastUsedAt']);
  const renamed = await own('PUT', `/session/passkey/${PasskeyID}`, { Name: 'Old phone' });
  assert.equal(renamed.body.Name, 'Old phone');
  const stranger = await withPasskey();
  for (const [method, name] of [['PUT', { Name: 'x' }], ['DELETE']] as const)
    expectProblem(
      await stranger.page(method, `/session/passkey/${PasskeyID}`, name),
      404,
      'passkey_not_found',
    );
  clock.advance({ seconds: 1 });
  expectStatus(await own('DELETE', `/session/passkey/${names.PasskeyID}`), 204);
  await expectStep(own, null);
  for (const ended of [other, partial]) expectProblem(await ended('GET', '/session'), 401, 'signed_out');
  const { page: next } = await signIn(names);
  const challenge = await challengeOf(next, 'use');
  expectProblem(await answer(next, key.get(challenge)), 422, 'passkey_rejected');
  await expectStep(await useWith(service, next, second), null);
  assert.equal((await tenant.api('GET', `/user/${names.LoginID}/passkey`)).body.Items.length, 1);
});

test('if a passkey is removed or a user is disabled between challenge and answer, the sign-in fails', async () => {
  const { key, ...names } = await withPasskey();
  const first = (await signIn(names)).page;
  const challenge = await challengeOf(first, 'use');
  clock.advance({ seconds: 1 });
  expectStatus(await tenant.api('DELETE', `/user/${names.LoginID}/passkey`), 204);
  expectProblem(await answer(first, key.get(challenge)), 401, 'signed_out');
  const { key: own, ...bob } = await withPasskey();
  const page = (await signIn(bob)).page;
  const his = await challengeOf(page, 'use');
  expectStatus(await tenant.api('PUT', `/user/${bob.LoginID}`, { Enabled: false }), 200);
  expectProblem(await answer(page, own.get(his)), 401, 'signed_out');
});

test('if two sessions add the first passkey at the same time, one succeeds, and the other must then use it', async () => {
  const names = await administrator();
  const pages = [(await signIn(names)).page, (await signIn(names)).page] as const;
  const bodies = await Promise.all(
    pages.map(async (page) => newAuthenticator(service).create(await challengeOf(page, 'add'))),
  );
  const replies = await Promise.all(pages.map((page, n) => page('POST', '/session/passkey', bodies[n])));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 403]);
});

test('a person can have at most 20 passkeys, and a session gets a limited number of challenges', async () => {
  const { LoginID, page: added } = await withPasskey();
  let page = added;
  for (let n = 1; n < maxPasskeys; n++) ({ page } = await addWith(service, page, newAuthenticator(service)));
  const body = newAuthenticator(service).create(await challengeOf(page, 'add'));
  expectProblem(await page('POST', '/session/passkey', body), 409, 'passkey_limit');
  const partial = (await signIn({ TenantID, LoginID })).page;
  const statuses: number[] = [];
  for (let n = 0; n < 31; n++)
    statuses.push((await partial('POST', '/session/passkey/challenge', { Purpose: 'use' })).status);
  assert.deepEqual(statuses, [...Array(30).fill(200), 429]);
});

test('learners and callers without a session cannot reach passkeys, nor can other sites', async () => {
  const learner = await tenant.user();
  const page = browser(service, await signInUser(service, tenant, learner));
  expectProblem(await page('GET', '/session/passkey'), 403, 'own_only');
  expectProblem(await page('POST', '/session/passkey/challenge', { Purpose: 'add' }), 403, 'own_only');
  const nobody = await service.api('POST', '/session/passkey/challenge', { Purpose: 'use' }, '', ownPage);
  expectProblem(nobody, 401, 'signed_out');
  const { page: own } = await withPasskey();
  for (const site of ['same-site', 'cross-site', 'none'])
    expectProblem(
      await own('POST', '/session/passkey/challenge', { Purpose: 'use' }, { 'sec-fetch-site': site }),
      403,
      'cross_site',
    );
});

test('the database holds public keys and hashes of challenges only', async () => {
  const { page } = await withPasskey();
  const challenge = await challengeOf(page, 'use');
  const { rows } = await sql<{ row: string }>`
    select to_jsonb(held)::text as row from user_session held where held.tenant_id = ${TenantID}`.execute(
    service.ctx.db,
  );
  assert.ok(rows.some(({ row }) => /"challenge_for": "use"/.test(row)));
  for (const { row } of rows) assert.ok(!row.includes(challenge));
});
