import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { movableClock } from '../../../test/support/clock.ts';
import { observed, serve } from '../../../test/support/nodes.ts';
import { startService } from '../../../test/support/service.ts';
import { browser, ownPage } from '../../../test/support/sign-in.ts';
import { expectProblem, expectStatus, newTenant, unique } from '../../../test/support/tenant.ts';
import { learnerScopes, tenantScopes } from '../../infra/context/scopes.ts';
import { noBranding } from '../tenants/branding.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const tenant = await newTenant(service, { Name: 'Acme', PasswordHash: 'sha256-hex' });
const { TenantID, user } = tenant;
const opaque = await newTenant(service);

const hashOf = (password: string) => createHash('sha256').update(password).digest('hex');
const right = hashOf('right');
const wrong = hashOf('wrong');

type Names = { TenantID: string; LoginID: string; Password: string };

const signIn = (body: object, headers: Record<string, string> = ownPage) =>
  service.api('POST', '/session', body, '', headers);

test("the correct password signs in any enabled user with the user's role", async () => {
  for (const [IsAdmin, Role, scopes] of [
    [true, 'administrator', tenantScopes],
    [false, 'learner', learnerScopes],
  ] as const) {
    const LoginID = await user({ Password: right, IsAdmin, FirstName: 'Ann' });
    for (const Password of [right, right.toUpperCase()]) {
      const reply = await signIn({ TenantID, LoginID, Password });
      expectStatus(reply, 200);
      const cookie = reply.headers.get('set-cookie') ?? '';
      assert.match(cookie, /^lectern_session=[\w.-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
      const { Now, SignedInAt, IdleUntil, ExpiresAt, ...who } = reply.body;
      assert.deepEqual(who, {
        Role,
        TenantID,
        TenantName: 'Acme',
        TimeZone: 'UTC',
        LoginID,
        FirstName: 'Ann',
        LastName: null,
        Scopes: [...scopes],
        Branding: noBranding,
        NextStep: null,
        SignOutURL: null,
      });
      const read = await browser(service, cookie.split(';')[0] ?? '')('GET', '/session');
      assert.deepEqual({ ...read.body, Now, IdleUntil }, { ...reply.body, IdleUntil });
    }
  }
});

test('all rejections have the same text and take the same time', async () => {
  const disabled = await user({ Password: right, Enabled: false });
  const LoginID = await user({ Password: right });
  const without = await user();
  const plain = await opaque.user({ Password: right });
  const refusals: Record<string, Names> = {
    'wrong password': { TenantID, LoginID, Password: wrong },
    'not in the declared format': { TenantID, LoginID, Password: 'right' },
    'unknown user': { TenantID, LoginID: unique('nobody'), Password: right },
    'disabled user': { TenantID, LoginID: disabled, Password: right },
    'no password was ever set': { TenantID, LoginID: without, Password: right },
    'unknown tenant': { TenantID: unique('nowhere'), LoginID, Password: right },
    'another tenant': { TenantID: opaque.TenantID, LoginID, Password: right },
    'a tenant that did not declare its hash function': {
      TenantID: opaque.TenantID,
      LoginID: plain,
      Password: right,
    },
  };
  let statements: string[] = [];
  const node = await serve(observed(service.ctx, ({ text }) => void statements.push(text)));
  const costs = new Set<string>();
  const responses = new Set<string>();
  for (const [why, payload] of Object.entries(refusals)) {
    expectProblem(await signIn(payload), 401, 'sign_in_failed');
    statements = [];
    const reply = await node.api.inject({ method: 'POST', url: '/session', payload });
    assert.equal(reply.statusCode, 401, why);
    assert.equal(reply.headers['set-cookie'], undefined, why);
    const { request_id, ...said } = reply.json();
    responses.add(JSON.stringify(said));
    costs.add(statements.join());
  }
  await node.close();
  assert.equal(responses.size, 1, [...responses].join('\n'));
  assert.equal(costs.size, 1, [...costs].join('\n'));
  assert.equal(statements.length, 9);
});

test('a password is checked even if the user does not exist', async () => {
  const LoginID = await user({ Password: right });
  const cpu = async (body: Names) => {
    const start = process.cpuUsage();
    expectProblem(await signIn(body), 401, 'sign_in_failed');
    return process.cpuUsage(start).user;
  };
  const spent: [number[], number[]] = [[], []];
  for (let n = 0; n < 9; n++) {
    spent[0].push(await cpu({ TenantID, LoginID, Password: wrong }));
    spent[1].push(await cpu({ TenantID: unique('nowhere'), LoginID, Password: wrong }));
  }
  const [known = 0, unknown = 0] = spent.map((times) => times.sort((a, b) => a - b)[4]);
  assert.ok(unknown > known / 2 && known > unknown / 2, `${known} ${unknown}`);
});

test('ten wrong passwords block the name at sign-in only, whether or not the user exists', async () => {
  const LoginID = await user({ Password: right });
  const names = [
    { TenantID, LoginID },
    { TenantID, LoginID: unique('nobody') },
    { TenantID: unique('nowhere'), LoginID },
  ];
  for (const name of names) {
    const replies = await Promise.all(Array.from({ length: 14 }, () => signIn({ ...name, Password: wrong })));
    const codes = replies.map(({ body }) => body.code).sort();
    assert.deepEqual(codes, [...Array(4).fill('login_throttled'), ...Array(10).fill('sign_in_failed')]);
    const refused = await signIn({ ...name, Password: right });
    expectProblem(refused, 429, 'login_throttled');
    const wait = Number(refused.headers.get('retry-after'));
    assert.ok(wait > 880 && wait <= 900, String(wait));
  }
  const check = await tenant.api('POST', `/user/check/${LoginID}`, { Password: right });
  assert.deepEqual(check.body, { LoginID, Result: 1 });
  clock.advance({ minutes: 16 });
  expectStatus(await signIn({ TenantID, LoginID, Password: right }), 200);
});

test('the correct password clears the failures, old failures are removed, and no name is stored', async () => {
  const LoginID = await user({ Password: right });
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 9; n++)
      expectProblem(await signIn({ TenantID, LoginID, Password: wrong }), 401, 'sign_in_failed');
    expectStatus(await signIn({ TenantID, LoginID, Password: right }), 200);
  }
  const kept = async () =>
    (await sql<{ row: string }>`select to_jsonb(g)::text as row from sign_in_guess g`.execute(service.ctx.db))
      .rows;
  for (let n = 0; n < 5; n++) await signIn({ TenantID, LoginID: unique('old'), Password: wrong });
  const rows = await kept();
  assert.ok(rows.length >= 5);
  for (const { row } of rows) assert.ok(!row.includes('old-') && !row.includes(LoginID));
  clock.advance({ minutes: 16 });
  for (let n = 0; n < rows.length / 5 + 1; n++)
    await signIn({ TenantID, LoginID: 'the last one', Password: wrong });
  assert.equal((await kept()).length, 1);
});

test('a visitor cannot be signed in by another origin or by a form', async () => {
  const body = { TenantID, LoginID: await user({ Password: right }), Password: right };
  for (const site of ['cross-site', 'same-site']) {
    const refused = await signIn(body, { 'sec-fetch-site': site });
    expectProblem(refused, 403, 'cross_site');
    assert.equal(refused.headers.get('set-cookie'), null);
  }
  const form = { ...ownPage, 'content-type': 'application/x-www-form-urlencoded' };
  const sent = await service.api('POST', '/session', new URLSearchParams(body).toString(), '', form);
  expectProblem(sent, 415, 'unsupported_media_type');
  expectStatus(await signIn(body, {}), 200);
  for (const LoginID of [undefined, 5, 'a\u0000'])
    expectProblem(await signIn({ ...body, LoginID }), 422, 'validation_failed', 'LoginID');
});

test('the hash function is returned without revealing which tenants exist', async () => {
  const reported = async (id: string) => {
    const reply = await service.api('GET', `/session/password/${encodeURIComponent(id)}`, undefined, '');
    expectStatus(reply, 200);
    return reply.body;
  };
  assert.deepEqual(await reported(TenantID), { PasswordHash: 'sha256-hex' });
  assert.deepEqual(await reported('nowhere at all'), { PasswordHash: 'sha256-hex' });
  assert.deepEqual(await reported(opaque.TenantID), { PasswordHash: 'sha256-hex' });
  const md5 = await newTenant(service, { PasswordHash: 'md5-hex' });
  const name = `MD5 of ${md5.TenantID}`;
  expectStatus(await service.api('PUT', `/tenant/${md5.TenantID}`, { Name: name }), 200);
  for (const typed of [md5.TenantID, name, name.toUpperCase()])
    assert.deepEqual(await reported(typed), { PasswordHash: 'md5-hex' });
});
