import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { movableClock } from '../../../test/support/clock.ts';
import { otherNode, serve } from '../../../test/support/nodes.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant, unique } from '../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const tenant = await newTenant(service);
const { api, user } = tenant;

const check = (LoginID: string, Password: string) => api('POST', `/user/check/${LoginID}`, { Password });

async function fail(LoginID: string, times: number): Promise<void> {
  for (let time = 0; time < times; time++)
    assert.deepEqual((await check(LoginID, `wrong ${time}`)).body, { LoginID, Result: -2 });
}

async function storedHash(LoginID: string): Promise<string> {
  const { rows } = await sql<{ password_hash: string }>`
    select password_hash from "user" where tenant_id = ${tenant.TenantID} and login_id = ${LoginID}`.execute(
    service.ctx.db,
  );
  return rows[0]?.password_hash ?? '';
}

test('GET returns 1 for enabled, 0 for disabled, and -1 for not found', async () => {
  const enabled = await user();
  const disabled = await user({ Enabled: false });
  for (const [LoginID, Result] of [
    [enabled, 1],
    [disabled, 0],
    ['nobody', -1],
  ] as const) {
    const reply = await api('GET', `/user/check/${LoginID}`);
    expectStatus(reply, 200);
    assert.deepEqual(reply.body, { LoginID, Result });
  }
});

test('POST always responds with 200 and returns 1 valid, 0 disabled, -1 not found, -2 wrong', async () => {
  const Password = 'a1b2c3';
  const enabled = await user({ Password });
  const disabled = await user({ Password, Enabled: false });
  for (const [LoginID, sent, Result] of [
    [enabled, Password, 1],
    [enabled, 'A1B2C3', -2],
    [disabled, Password, 0],
    [disabled, 'wrong', 0],
    ['nobody', Password, -1],
  ] as const) {
    const reply = await check(LoginID, sent);
    expectStatus(reply, 200);
    assert.deepEqual(reply.body, { LoginID, Result });
  }
});

test('checking a password without sending one is rejected', async () => {
  const LoginID = await user();
  const ask = (body: object) => api('POST', `/user/check/${LoginID}`, body);
  expectProblem(await ask({}), 422, 'validation_failed', 'Password');
  expectProblem(await ask({ Password: '' }), 422, 'validation_failed', 'Password');
  expectProblem(await ask({ Password: null }), 422, 'validation_failed', 'Password');
  expectProblem(await ask({ password: 'x' }), 422, 'validation_failed');
});

test('a user without a password gets a random hash that no password matches', async () => {
  const LoginID = await user();
  const stored = await storedHash(LoginID);
  assert.notEqual(stored, await storedHash(await user()));
  for (const guess of [stored, stored.replace('random:', ''), 'null', 'undefined'])
    assert.equal((await check(LoginID, guess)).body.Result, -2);
});

test('a password is stored as an argon2id hash with the parameters that OWASP recommends', async () => {
  const LoginID = await user({ Password: 'hashed by the client' });
  assert.match(await storedHash(LoginID), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  const second = await user({ Password: 'hashed by the client' });
  assert.notEqual(await storedHash(second), await storedHash(LoginID));
});

test('PUT replaces the password, and null removes it', async () => {
  const LoginID = await user({ Password: 'old' });
  expectStatus(await api('PUT', `/user/${LoginID}`, { Password: 'new' }), 200);
  assert.equal((await check(LoginID, 'old')).body.Result, -2);
  assert.equal((await check(LoginID, 'new')).body.Result, 1);
  expectStatus(await api('PUT', `/user/${LoginID}`, { FirstName: 'x' }), 200);
  assert.equal((await check(LoginID, 'new')).body.Result, 1);
  expectStatus(await api('PUT', `/user/${LoginID}`, { Password: null }), 200);
  assert.equal((await check(LoginID, 'new')).body.Result, -2);
});

test('a declared hash function rejects other formats, and hex is compared case-insensitively', async () => {
  const formats = {
    'sha256-hex': 'ab'.repeat(32),
    'sha512-hex': 'ab'.repeat(64),
    'sha256-base64': `${'a'.repeat(43)}=`,
    'md5-hex': 'ab'.repeat(16),
  };
  for (const [PasswordHash, Password] of Object.entries(formats)) {
    const own = await newTenant(service, { PasswordHash });
    const LoginID = await own.user({ Password });
    const ask = (sent: string) => own.api('POST', `/user/check/${LoginID}`, { Password: sent });
    assert.equal((await ask(Password)).body.Result, 1);
    const upper = PasswordHash.endsWith('hex') ? 1 : -2;
    assert.equal((await ask(Password.toUpperCase())).body.Result, upper);
    for (const bad of ['secret', Password.slice(1), `${Password}0`]) {
      expectProblem(await ask(bad), 422, 'password_not_hashed', 'Password');
      const body = { LoginID: unique('plain'), Password: bad };
      expectProblem(await own.api('POST', '/user', body), 422, 'password_not_hashed', 'Password');
      expectProblem(await own.api('GET', `/user/${body.LoginID}`), 404, 'user_not_found');
      expectProblem(await own.api('PUT', `/user/${LoginID}`, { Password: bad }), 422, 'password_not_hashed');
    }
  }
});

test('after ten wrong passwords every node responds with 429 and Retry-After, even to the correct one', async () => {
  const LoginID = await user({ Password: 'right' });
  await fail(LoginID, 10);
  for (const sent of ['wrong', 'right']) {
    const refused = await check(LoginID, sent);
    expectProblem(refused, 429, 'login_throttled');
    const seconds = Number(refused.headers.get('retry-after'));
    assert.ok(seconds > 14 * 60 && seconds <= 15 * 60, String(seconds));
  }
  const node = await serve(otherNode(service.ctx));
  const elsewhere = await node.api.inject({
    method: 'POST',
    url: `/user/check/${LoginID}`,
    headers: { authorization: `Bearer ${tenant.key}` },
    payload: { Password: 'right' },
  });
  assert.equal(elsewhere.statusCode, 429);
  await node.close();
  assert.equal((await check(await user({ Password: 'x' }), 'x')).body.Result, 1);
  clock.advance({ minutes: 15, seconds: 1 });
  assert.equal((await check(LoginID, 'right')).body.Result, 1);
});

test('a correct password resets the count', async () => {
  const LoginID = await user({ Password: 'right' });
  await fail(LoginID, 9);
  assert.equal((await check(LoginID, 'right')).body.Result, 1);
  await fail(LoginID, 10);
  expectProblem(await check(LoginID, 'right'), 429, 'login_throttled');
});

test('concurrent guesses cannot exceed the limit', async () => {
  const LoginID = await user({ Password: 'right' });
  const guesses = await Promise.all(
    Array.from({ length: 40 }, (_, index) => check(LoginID, `wrong ${index}`)),
  );
  assert.equal(guesses.filter(({ status }) => status === 200).length, 10);
  assert.equal(guesses.filter(({ status }) => status === 429).length, 30);
});

test("blocking one tenant's user does not affect another tenant's", async () => {
  const LoginID = await user({ Password: 'right' });
  const other = await newTenant(service);
  await other.api('POST', '/user', { LoginID, Password: 'right' });
  await fail(LoginID, 10);
  expectProblem(await check(LoginID, 'right'), 429, 'login_throttled');
  assert.equal((await other.api('POST', `/user/check/${LoginID}`, { Password: 'right' })).body.Result, 1);
});

test('checking an unknown user takes about as long as checking a wrong password', async () => {
  const users = await Promise.all(Array.from({ length: 3 }, () => user({ Password: 'right' })));
  const times: Record<string, number[]> = { unknown: [], wrong: [] };
  for (let round = 0; round < 15; round++)
    for (const [kind, LoginID] of [
      ['unknown', `nobody-${round}`],
      ['wrong', users[round % 3] ?? ''],
    ] as const) {
      const start = performance.now();
      await check(LoginID, 'guess');
      times[kind]?.push(performance.now() - start);
    }
  const median = (values: number[] = []) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  const ratio = median(times.wrong) / median(times.unknown);
  assert.ok(ratio > 0.4 && ratio < 2.5, `ratio ${ratio}`);
});

test('POST /user for an existing user does not bypass the limit, because a wrong Password counts as a guess', async () => {
  const Password = 'right';
  for (const Enabled of [true, false]) {
    const LoginID = await user({ Password, Enabled });
    const create = (Password: string) => api('POST', '/user', { LoginID, Password, Enabled });
    for (let time = 0; time < 9; time++)
      expectProblem(await create(`wrong ${time}`), 409, 'user_exists', 'LoginID');
    expectStatus(await create(Password), 200);
    for (let time = 0; time < 10; time++)
      expectProblem(await create(`wrong again ${time}`), 409, 'user_exists', 'LoginID');
    for (const guess of ['wrong', Password]) {
      const refused = await create(guess);
      expectProblem(refused, 429, 'login_throttled');
      assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    }
    expectStatus(await api('POST', '/user', { LoginID, Enabled }), 200);
    if (Enabled) expectProblem(await check(LoginID, Password), 429, 'login_throttled');
    clock.advance({ minutes: 16 });
    expectStatus(await create(Password), 200);
  }
});

test('concurrent guesses through POST /user cannot exceed the limit, with or without an Idempotency-Key', async () => {
  const LoginID = await user({ Password: 'right' });
  const replies = await Promise.all(
    Array.from({ length: 24 }, (_, n) =>
      api(
        'POST',
        '/user',
        { LoginID, Password: `wrong ${n}` },
        n % 2 === 0 ? {} : { 'idempotency-key': unique('guess') },
      ),
    ),
  );
  const count = (status: number) => replies.filter((reply) => reply.status === status).length;
  assert.deepEqual([count(409), count(429)], [10, 14]);
});

test('guesses in bulk calls count too, even with plan=true', async () => {
  for (const query of ['', '?Plan=true']) {
    const LoginID = await user({ Password: 'right' });
    const rows = Array.from({ length: 12 }, (_, n) => ({ LoginID, Password: `wrong ${n}` }));
    const body = rows.map((row) => JSON.stringify(row)).join('\n');
    const headers = { 'content-type': 'application/x-ndjson' };
    const { body: answer } = await api('POST', `/user/bulk${query}`, body, headers);
    const lines = String(answer)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const codes = lines.map(({ code }: { code: string }) => code);
    assert.equal(codes.filter((code: string) => code === 'user_exists').length, 10, codes.join());
    assert.equal(codes.filter((code: string) => code === 'login_throttled').length, 2);
    expectProblem(await check(LoginID, 'right'), 429, 'login_throttled');
  }
});
