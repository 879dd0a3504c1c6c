import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant, unique } from '../../../test/support/tenant.ts';
import { path } from '../../http/routes.ts';

const service = await startService();
after(service.close);
const tenant = await newTenant(service);
const { api, events } = tenant;

test('a LoginID alone creates a user with all defaults', async () => {
  const LoginID = unique('minimal');
  const made = await api('POST', '/user', { LoginID });
  expectStatus(made, 201);
  assert.equal(made.headers.get('location'), `/user/${LoginID}`);
  const { CreatedAt, UpdatedAt, ...rest } = made.body;
  assert.deepEqual(rest, {
    LoginID,
    FirstName: null,
    LastName: null,
    GroupName: null,
    Email: null,
    ManagerLoginID: null,
    Groups: [],
    Attributes: {},
    IsAdmin: false,
    Register: false,
    Enabled: true,
    TimeFactor: 1,
    EmailBouncedAt: null,
    EmailBounceReason: null,
  });
  assert.match(CreatedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(UpdatedAt, CreatedAt);
  assert.deepEqual((await api('GET', `/user/${LoginID}`)).body, made.body);
});

test('every field is stored and returned, and one event reports it', async () => {
  const LoginID = unique('full');
  const fields = {
    FirstName: 'Zoë',
    LastName: "O'Brien",
    GroupName: 'Lab 7',
    Email: 'zoe@example.org',
    ManagerLoginID: 'boss',
    Groups: ['Lab 7', 'Leeds'],
    Attributes: { site: 'Leeds' },
    IsAdmin: true,
    Register: true,
    Enabled: false,
    TimeFactor: 1.5,
  };
  const made = await api('POST', '/user', { LoginID, ...fields });
  expectStatus(made, 201);
  const { CreatedAt, UpdatedAt, ...rest } = made.body;
  assert.deepEqual(rest, { LoginID, ...fields, EmailBouncedAt: null, EmailBounceReason: null });
  assert.deepEqual(
    (await events({ LoginID })).map(({ type, data }) => [type, data]),
    [['user.created', { LoginID }]],
  );
});

test('null resets a field to its default value', async () => {
  const LoginID = unique('nulls');
  const nulls = { FirstName: null, GroupName: null, Email: null, Password: null };
  const made = await api('POST', '/user', {
    LoginID,
    ...nulls,
    IsAdmin: null,
    Register: null,
    Enabled: null,
  });
  expectStatus(made, 201);
  assert.deepEqual([made.body.IsAdmin, made.body.Register, made.body.Enabled], [false, false, true]);
  expectStatus(await api('POST', '/user', { LoginID, ...nulls, Enabled: null }), 200);
});

test('repeating the request is safe: it returns 200 and the record, and writes no second event', async () => {
  const body = { LoginID: unique('again'), FirstName: 'Ann', Password: 'h4sh' };
  const first = await api('POST', '/user', body);
  const second = await api('POST', '/user', body);
  expectStatus(second, 200);
  assert.deepEqual(second.body, first.body);
  expectStatus(await api('POST', '/user', { LoginID: body.LoginID }), 200);
  assert.equal((await events(body)).length, 1);
});

test('different data for the same LoginID gets 409 with the names of the differing fields', async () => {
  const LoginID = unique('taken');
  await api('POST', '/user', { LoginID, FirstName: 'Ann', Email: 'a@example.org', Password: 'one' });
  const refused = await api('POST', '/user', {
    LoginID,
    FirstName: 'Bob',
    Email: 'a@example.org',
    IsAdmin: true,
    Password: 'two',
  });
  expectProblem(refused, 409, 'user_exists', 'LoginID');
  assert.deepEqual(refused.body.differs.sort(), ['FirstName', 'IsAdmin', 'Password']);
  expectProblem(await api('POST', '/user', { LoginID, FirstName: null }), 409, 'user_exists');
  assert.equal((await api('GET', `/user/${LoginID}`)).body.FirstName, 'Ann');
});

test('50 identical concurrent requests create one user and one event', async () => {
  const LoginID = unique('crowd');
  const replies = await Promise.all(Array.from({ length: 50 }, () => api('POST', '/user', { LoginID })));
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [...Array(49).fill(200), 201]);
  assert.equal((await events({ LoginID })).length, 1);
});

test('requests that arrive together each get their own result', async () => {
  const taken = await tenant.user({ FirstName: 'Old' });
  const fresh = Array.from({ length: 20 }, () => unique('burst'));
  const [bad, conflict, ...good] = await Promise.all([
    api('POST', '/user', { LoginID: 'x', FirstName: 5 }),
    api('POST', '/user', { LoginID: taken, FirstName: 'New' }),
    ...fresh.map((LoginID) => api('POST', '/user', { LoginID, FirstName: LoginID })),
  ]);
  expectProblem(bad, 422, 'validation_failed', 'FirstName');
  expectProblem(conflict, 409, 'user_exists');
  for (const [index, reply] of good.entries()) {
    expectStatus(reply, 201);
    assert.equal(reply.body.FirstName, fresh[index]);
  }
});

test('an invalid request creates no user, and the error names the field', async () => {
  const LoginID = unique('bad');
  const refusals: [object, string, string][] = [
    [{}, 'validation_failed', 'LoginID'],
    [{ LoginID: '' }, 'validation_failed', 'LoginID'],
    [{ LoginID: null }, 'validation_failed', 'LoginID'],
    [{ LoginID: 7 }, 'validation_failed', 'LoginID'],
    [{ LoginID, FirstNmae: 'typo' }, 'unknown_field', 'FirstNmae'],
    [{ LoginID, firstname: 'case' }, 'unknown_field', 'firstname'],
    [{ LoginID, IsAdmin: 'true' }, 'validation_failed', 'IsAdmin'],
    [{ LoginID, FirstName: 'x'.repeat(256) }, 'validation_failed', 'FirstName'],
    [{ LoginID, Email: 'x'.repeat(321) }, 'validation_failed', 'Email'],
    [{ LoginID, Password: '' }, 'validation_failed', 'Password'],
    [{ LoginID, Password: 'x'.repeat(1025) }, 'validation_failed', 'Password'],
    [{ LoginID, CreatedAt: '2020-01-01T00:00:00Z' }, 'unknown_field', 'CreatedAt'],
  ];
  for (const [body, code, param] of refusals)
    expectProblem(await api('POST', '/user', body), 422, code, param);
  expectProblem(await api('GET', `/user/${LoginID}`), 404, 'user_not_found');
});

test('anything except a JSON object in UTF-8 is rejected with the reason', async () => {
  expectProblem(await api('POST', '/user', '{"LoginID":'), 400, 'malformed_request');
  expectProblem(await api('POST', '/user', '{"__proto__":{}}'), 400, 'malformed_request');
  expectProblem(await api('POST', '/user', '["LoginID"]'), 422, 'validation_failed');
  expectProblem(await api('POST', '/user', ''), 422, 'validation_failed', 'LoginID');
  const typed = (type: string) => api('POST', '/user', 'LoginID=x', { 'content-type': type });
  expectProblem(await typed('text/plain'), 415, 'unsupported_media_type');
  expectProblem(await typed('application/x-www-form-urlencoded'), 415, 'unsupported_media_type');
  const large = { LoginID: 'x', FirstName: 'x'.repeat(1024 * 1024) };
  expectProblem(await api('POST', '/user', large), 413, 'payload_too_large');
});

test('a body that is not UTF-8 is rejected, so that no characters are lost', async () => {
  const response = await fetch(`${service.baseUrl}/user`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body: Buffer.from(`{"LoginID":"${unique('latin')}","LastName":"M\xfcller"}`, 'latin1'),
  });
  const body = await response.json();
  expectProblem({ status: response.status, headers: response.headers, body }, 400, 'malformed_request');
});

test('another tenant may use the same LoginID and sees only its own user', async () => {
  const other = await newTenant(service);
  const LoginID = await tenant.user({ FirstName: 'Ours' });
  expectProblem(await other.api('GET', `/user/${LoginID}`), 404, 'user_not_found');
  expectStatus(await other.api('POST', '/user', { LoginID, FirstName: 'Theirs' }), 201);
  assert.equal((await api('GET', `/user/${LoginID}`)).body.FirstName, 'Ours');
  const cases = [unique('Case'), unique('Case')].flatMap((id) => [id, id.toLowerCase()]);
  for (const id of cases) expectStatus(await api('POST', '/user', { LoginID: id }), 201);
});

test('the response never contains a password', async () => {
  const LoginID = unique('secret');
  const Password = `hash-${LoginID}-value`;
  const replies = [
    await api('POST', '/user', { LoginID, Password }),
    await api('POST', '/user', { LoginID, Password }),
    await api('POST', '/user', { LoginID, Password: `${Password}x` }),
    await api('GET', `/user/${LoginID}`),
    await api('PUT', path`/user/${LoginID}`, { Password, FirstName: 'x' }),
    await api('POST', `/user/check/${LoginID}`, { Password }),
    await api('GET', `/user?Search=${LoginID}`),
  ];
  for (const { body } of replies) {
    assert.ok(!JSON.stringify(body).includes(Password));
    assert.ok(!/password_hash|argon2/i.test(JSON.stringify(body)));
    if (body.code === undefined) assert.ok(!('Password' in body));
  }
  assert.ok(!JSON.stringify(await events({ LoginID })).includes(Password));
});
