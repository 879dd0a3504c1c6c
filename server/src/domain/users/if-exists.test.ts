import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { otherNode, serve } from '../../../test/support/nodes.ts';
import { startService } from '../../../test/support/service.ts';
import {
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  type TestTenant,
  unique,
} from '../../../test/support/tenant.ts';

// IfExists and IfMissing: calls that create users, update existing users, or do both.

const service = await startService();
after(service.close);
const tenant = await newTenant(service);
const { api, user, events } = tenant;

type Line = { Status: number; Plan?: string; Changed?: string[]; code?: string; detail?: string };
type Options = { query?: string; headers?: Record<string, string>; by?: TestTenant['api'] };

const asRows = (rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\n');
const toLines = (body: string): Line[] =>
  body
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

async function bulk(rows: object[] | string, { query = '', headers = {}, by = api }: Options = {}) {
  const type = typeof rows === 'string' ? 'text/csv' : 'application/x-ndjson';
  const body = typeof rows === 'string' ? rows : asRows(rows);
  const reply = await by('POST', `/user/bulk${query}`, body, { 'content-type': type, ...headers });
  expectStatus(reply, 200);
  return toLines(reply.body);
}

const outcomes = (lines: Line[]) =>
  lines.map(({ Status, Plan, Changed, code }) => [Plan ?? Status, Changed ?? code]);
const read = async (LoginID: string) => (await api('GET', `/user/${LoginID}`)).body;
const updates = async (LoginID: string) =>
  (await events({ LoginID }))
    .filter(({ type }) => type !== 'user.created')
    .map(({ type, data }) => [type, data.Changed]);
const audits = async (LoginID: string) =>
  (await api('GET', `/audit?LoginID=${LoginID}`)).body.Items.map(
    (entry: { Action: string; ActorID: string; Data: object }) => [entry.Action, entry.ActorID, entry.Data],
  );

async function withScopes(...Scopes: string[]): Promise<TestTenant['api']> {
  const made = await service.api('POST', `/tenant/${tenant.TenantID}/key`, { Name: 'narrow', Scopes });
  return (method, path, body, headers) => service.api(method, path, body, made.body.Secret, headers);
}

test('update changes the fields that were sent, and writes the events of PUT', async () => {
  const LoginID = await user({ FirstName: 'Ann', LastName: 'Lee', GroupName: 'A', Email: 'a@example.org' });
  const before = await read(LoginID);
  const IfExists = 'update';
  const changed = await api('POST', '/user', { LoginID, IfExists, LastName: 'Long', GroupName: null });
  expectStatus(changed, 200);
  const { UpdatedAt, ...rest } = changed.body;
  assert.deepEqual(
    { ...rest, UpdatedAt: before.UpdatedAt },
    { ...before, LastName: 'Long', GroupName: null, Groups: [] },
  );
  assert.deepEqual(await read(LoginID), changed.body);
  expectStatus(await api('POST', '/user', { LoginID, IfExists, Enabled: false }), 200);
  assert.deepEqual(await updates(LoginID), [
    ['user.updated', ['LastName', 'GroupName']],
    ['user.updated', ['Enabled']],
    ['user.disabled', ['Enabled']],
  ]);
});

test('repeating an update changes nothing and writes no event', async () => {
  const LoginID = await user({ FirstName: 'Ann' });
  const row = { LoginID, IfExists: 'update', FirstName: 'Anna', IsAdmin: false };
  assert.deepEqual(outcomes(await bulk([row])), [[200, ['FirstName']]]);
  const once = await read(LoginID);
  assert.deepEqual(outcomes(await bulk([row])), [[200, []]]);
  assert.deepEqual(outcomes(await bulk([{ LoginID, IfExists: 'update' }])), [[200, []]]);
  assert.deepEqual(await read(LoginID), once);
  assert.equal((await updates(LoginID)).length, 1);
});

test('each row of a bulk call creates or updates a user, and a rejected row fails alone', async () => {
  const [ann, bob] = [await user({ FirstName: 'Ann' }), await user({ FirstName: 'Bob' })];
  const fresh = unique('fresh');
  const lines = await bulk([
    { LoginID: ann, FirstName: 'Anna', IfExists: 'update' },
    { LoginID: fresh, FirstName: 'Flo', IfExists: 'update' },
    { LoginID: bob, FirstName: 'Robert' },
    { LoginID: bob, FirstName: 'Robert', IfExists: 'fail' },
    { LoginID: bob, FirstName: 'Robert', IfExists: 'replace' },
    { LoginID: bob, FirstName: 'Bob' },
    { LoginID: bob, Email: 'n/a', IfExists: 'update' },
  ]);
  assert.deepEqual(outcomes(lines), [
    [200, ['FirstName']],
    [201, undefined],
    [409, 'user_exists'],
    [409, 'user_exists'],
    [422, 'validation_failed'],
    [200, undefined],
    [422, 'validation_failed'],
  ]);
  assert.match(lines[2]?.detail ?? '', /differs in FirstName\. To change the user, set IfExists to update\./);
  assert.deepEqual([(await read(ann)).FirstName, (await read(bob)).FirstName], ['Anna', 'Bob']);
  assert.deepEqual(await updates(fresh), []);
});

test('with IfMissing, only existing users are updated', async () => {
  const [ann, unknown] = [await user({ FirstName: 'Ann' }), unique('unknown')];
  const lines = await bulk([
    { LoginID: ann, FirstName: 'Anna', IfExists: 'update', IfMissing: 'fail' },
    { LoginID: unknown, FirstName: 'Una', IfExists: 'update', IfMissing: 'fail' },
    { LoginID: unknown, IfMissing: 'fail' },
    { LoginID: ann, FirstName: 'Other', IfMissing: 'fail' },
    { LoginID: ann, FirstName: 'Anna', IfMissing: 'fail' },
    { LoginID: ann, IfMissing: 'ignore' },
  ]);
  assert.deepEqual(outcomes(lines), [
    [200, ['FirstName']],
    [404, 'user_not_found'],
    [404, 'user_not_found'],
    [409, 'user_exists'],
    [200, undefined],
    [422, 'validation_failed'],
  ]);
  expectProblem(await api('POST', '/user', { LoginID: unknown, IfMissing: 'fail' }), 404, 'user_not_found');
  expectProblem(await api('GET', `/user/${unknown}`), 404, 'user_not_found');
  expectStatus(await api('POST', '/user', { LoginID: unknown, IfMissing: 'create' }), 201);
});

test('an empty cell of CSV changes nothing, and null in NDJSON clears a field', async () => {
  const [ann, bob] = [await user({ FirstName: 'Ann', LastName: 'Lee' }), await user({ FirstName: 'Bob' })];
  const csv = `LoginID,FirstName,LastName,Enabled,IfExists\n${ann},,Long,false,update\n${bob},Rob,,,\n`;
  assert.deepEqual(outcomes(await bulk(csv)), [
    [200, ['LastName', 'Enabled']],
    [409, 'user_exists'],
  ]);
  const changed = await read(ann);
  assert.deepEqual([changed.FirstName, changed.LastName, changed.Enabled], ['Ann', 'Long', false]);
  await bulk([{ LoginID: ann, FirstName: null, Enabled: null, IfExists: 'update' }]);
  const cleared = await read(ann);
  assert.deepEqual([cleared.FirstName, cleared.LastName, cleared.Enabled], [null, 'Long', true]);
  const reply = await api('POST', '/user/bulk', `LoginID,FirstName,IfExists\n${ann},A,update\n`, {
    'content-type': 'text/csv',
    accept: 'text/csv',
  });
  assert.equal(reply.body, `Row,Status,LoginID,code,param,detail\r\n1,200,${ann},,,\r\n`);
});

test('a plan names what would change, and changes nothing', async () => {
  const ann = await user({ FirstName: 'Ann', Password: 'old' });
  const admin = await user({ IsAdmin: true });
  const [fresh, unknown] = [unique('fresh'), unique('unknown')];
  const rows = [
    { LoginID: ann, FirstName: 'Anna', Password: 'new', IfExists: 'update' },
    { LoginID: ann, FirstName: 'Anna', IfExists: 'update' },
    { LoginID: ann, FirstName: 'Ann' },
    { LoginID: admin, Enabled: false, IfExists: 'update' },
    { LoginID: fresh, IfExists: 'update' },
    { LoginID: unknown, IfExists: 'update', IfMissing: 'fail' },
  ];
  const before = [await read(ann), await read(admin), (await events()).length, await audits(admin)];
  assert.deepEqual(outcomes(await bulk(rows, { query: '?Plan=true' })), [
    ['updated', ['FirstName', 'Password']],
    ['exists', []],
    ['differs', 'user_exists'],
    ['updated', ['Enabled']],
    ['created', undefined],
    ['error', 'user_not_found'],
  ]);
  assert.deepEqual(
    [await read(ann), await read(admin), (await events()).length, await audits(admin)],
    before,
  );
  assert.equal((await api('POST', `/user/check/${ann}`, { Password: 'old' })).body.Result, 1);
  expectProblem(await api('GET', `/user/${fresh}`), 404, 'user_not_found');
});

test('rows about the same user take effect in order', async () => {
  for (const headers of [{}, { 'idempotency-key': unique('key') }]) {
    const [ann, fresh] = [await user({ FirstName: 'Ann' }), unique('fresh')];
    const lines = await bulk(
      [
        { LoginID: fresh, FirstName: 'Flo', IfMissing: 'fail', IfExists: 'update' },
        { LoginID: fresh, FirstName: 'Flo', IfExists: 'update' },
        { LoginID: ann, FirstName: 'B', IfExists: 'update' },
        { LoginID: ann, FirstName: 'Ann' },
        { LoginID: fresh, FirstName: 'Flora', IfMissing: 'fail', IfExists: 'update' },
        { LoginID: ann, FirstName: 'B' },
        { LoginID: ann, FirstName: 'C', LastName: 'Lee', IfExists: 'update' },
        { LoginID: ann, FirstName: 'C', LastName: 'Lee' },
      ],
      { headers },
    );
    assert.deepEqual(outcomes(lines), [
      [404, 'user_not_found'],
      [201, undefined],
      [200, ['FirstName']],
      [409, 'user_exists'],
      [200, ['FirstName']],
      [200, undefined],
      [200, ['FirstName', 'LastName']],
      [200, undefined],
    ]);
    assert.deepEqual([(await read(ann)).FirstName, (await read(fresh)).FirstName], ['C', 'Flora']);
    assert.deepEqual(await updates(ann), [
      ['user.updated', ['FirstName']],
      ['user.updated', ['FirstName', 'LastName']],
    ]);
  }
});

test('updates need the same scopes as PUT, and the audit trail names each caller', async () => {
  const narrow = await withScopes('users:read', 'users:write');
  const [ann, admin] = [await user(), await user({ IsAdmin: true })];
  const lines = await bulk(
    [
      { LoginID: ann, IsAdmin: true, IfExists: 'update' },
      { LoginID: ann, Password: 'x', IfExists: 'update' },
      { LoginID: ann, Password: null, IfExists: 'update' },
      { LoginID: admin, FirstName: 'Mallory', IfExists: 'update' },
      { LoginID: ann, FirstName: 'Ann', Enabled: false, IfExists: 'update' },
    ],
    { by: narrow },
  );
  assert.deepEqual(outcomes(lines), [
    [403, 'scope_missing'],
    [403, 'scope_missing'],
    [403, 'scope_missing'],
    [403, 'scope_missing'],
    [200, ['FirstName', 'Enabled']],
  ]);
  const reader = await withScopes('users:read');
  expectProblem(await reader('POST', '/user', { LoginID: ann, IfExists: 'update' }), 403, 'scope_missing');
  assert.equal((await read(admin)).FirstName, null);
  // Concurrent callers share statements.
  const [rejected, done] = await Promise.all([
    narrow('POST', '/user', { LoginID: admin, LastName: 'Mallory', IfExists: 'update' }),
    api('POST', '/user', { LoginID: ann, IsAdmin: true, Password: 'y', IfExists: 'update' }),
  ]);
  expectProblem(rejected, 403, 'scope_missing');
  expectStatus(done, 200);
  const [first, latest] = await audits(ann);
  assert.deepEqual(latest, ['user.access_changed', tenant.keyId, { IsAdmin: true, Password: true }]);
  assert.deepEqual([first[0], first[2]], ['user.access_changed', { Enabled: false }]);
  assert.notEqual(first[1], tenant.keyId);
});

test("another tenant's call updates only its own users", async () => {
  const other = await newTenant(service);
  const LoginID = await user({ FirstName: 'Ours' });
  const row = { LoginID, FirstName: 'Theirs', IfExists: 'update' };
  assert.deepEqual(outcomes(await bulk([{ ...row, IfMissing: 'fail' }], { by: other.api })), [
    [404, 'user_not_found'],
  ]);
  assert.deepEqual(outcomes(await bulk([row], { by: other.api })), [[201, undefined]]);
  assert.equal((await read(LoginID)).FirstName, 'Ours');
});

test('a new password ends the invitation, and the old password stops working', async () => {
  const LoginID = await user({ Password: 'old' });
  expectStatus(await api('POST', '/invitation', { LoginID }), 201);
  const rows = [{ LoginID, Password: 'new', IfExists: 'update' }];
  assert.deepEqual(outcomes(await bulk(rows)), [[200, ['Password']]]);
  const result = async (Password: string) =>
    (await api('POST', `/user/check/${LoginID}`, { Password })).body.Result;
  assert.deepEqual([await result('old'), await result('new')], [-2, 1]);
  assert.equal((await api('GET', `/invitation/${LoginID}`)).body.Status, 'revoked');
});

test('a changed group applies to enrolments', async () => {
  const LoginID = await user({ GroupName: 'A' });
  const CourseID = await newCourse(service);
  expectStatus(await api('POST', `/enrol/${LoginID}/${CourseID}`), 201);
  const group = unique('group');
  await bulk([{ LoginID, GroupName: group, IfExists: 'update' }]);
  assert.equal((await api('GET', `/enrolment?GroupName=${group}`)).body.Items.length, 1);
});

test('repeating a call with an Idempotency-Key replays its rows', async () => {
  const logins = await Promise.all(Array.from({ length: 250 }, () => user()));
  const rows = logins.map((LoginID) => ({ LoginID, LastName: 'Long', IsAdmin: true, IfExists: 'update' }));
  const headers = { 'idempotency-key': unique('key') };
  const first = await bulk(rows, { headers });
  assert.ok(first.every(({ Changed }) => Changed?.join() === 'LastName,IsAdmin'));
  await bulk(rows.map((row) => ({ ...row, LastName: 'Later' })));
  assert.deepEqual(await bulk(rows, { headers }), first);
  assert.equal((await read(logins[0] ?? '')).LastName, 'Later');
  assert.equal((await updates(logins[249] ?? '')).length, 2);
});

test('administrators are created by a call with an Idempotency-Key', async () => {
  const rows = Array.from({ length: 3 }, () => ({ LoginID: unique('admin'), IsAdmin: true }));
  const headers = { 'idempotency-key': unique('key') };
  const created = rows.map(() => [201, undefined]);
  assert.deepEqual(outcomes(await bulk(rows, { headers })), created);
  assert.deepEqual(outcomes(await bulk(rows, { headers })), created);
  assert.deepEqual((await audits(rows[0]?.LoginID ?? '')).length, 1);
});

/** Sends calls at the same time, each to its own node, and returns the rows that failed. */
async function together(calls: { path: string; rows: object[]; isKeyed: boolean }[]): Promise<Line[]> {
  const failed = await Promise.all(
    calls.map(async ({ path, rows, isKeyed }) => {
      const node = await serve(otherNode(service.ctx));
      const headers = {
        authorization: `Bearer ${tenant.key}`,
        'content-type': 'application/x-ndjson',
        ...(isKeyed && { 'idempotency-key': unique('key') }),
      };
      const reply = await node.api.inject({ method: 'POST', url: path, payload: asRows(rows), headers });
      await node.close();
      return toLines(reply.body).filter(({ Status }) => Status >= 300);
    }),
  );
  return failed.flat();
}

async function people(count: number): Promise<string[]> {
  const logins = Array.from({ length: count }, () => unique('crossed'));
  await bulk(logins.map((LoginID) => ({ LoginID })));
  return logins;
}

test('calls that update the same users in opposite order, on two nodes, all succeed', async () => {
  const logins = await people(60);
  const path = '/user/bulk';
  for (let round = 1; round <= 6; round++) {
    const isKeyed = round > 3;
    const rowsOf = (logins: string[], LastName: string) =>
      logins.map((LoginID) => ({ LoginID, LastName, Enabled: round % 2 === 0, IfExists: 'update' }));
    const failed = await together([
      { path, rows: rowsOf(logins, `${round} a`), isKeyed },
      { path, rows: rowsOf(logins.toReversed(), `${round} b`), isKeyed },
    ]);
    assert.deepEqual(failed, []);
    const names = await Promise.all(logins.map(async (LoginID) => (await read(LoginID)).LastName));
    assert.equal(new Set(names).size, 1, 'one call came after the other');
  }
});

test('users are updated while they are enrolled on several courses, and enrolments get the latest group', async () => {
  const logins = await people(60);
  const [one, other] = [await newCourse(service), await newCourse(service)];
  const groups = [unique('group'), unique('group'), unique('group'), unique('group')];
  for (const [round, GroupName] of groups.entries()) {
    const isKeyed = round % 2 === 1;
    const updates = logins.map((LoginID) => ({ LoginID, GroupName, IfExists: 'update' }));
    const enrolments = [
      ...logins.map((LoginID) => ({ LoginID, CourseID: one, IfEnrolled: 'renew' })),
      ...logins.toReversed().map((LoginID) => ({ LoginID, CourseID: other, IfEnrolled: 'extend' })),
    ];
    const failed = await together([
      { path: '/user/bulk', rows: updates, isKeyed },
      { path: '/enrol/bulk', rows: enrolments, isKeyed },
    ]);
    assert.deepEqual(failed, []);
    const found = await api('GET', `/enrolment?GroupName=${GroupName}&CourseID=${other}&Limit=200`);
    assert.equal(found.body.Items.length, logins.length);
  }
});
