import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { startService, type TestService } from '../../../test/support/service.ts';
import { newTenant } from '../../../test/support/tenant.ts';
import { run, transaction } from '../../db/transaction.ts';
import { similarUsersText } from './bulk.ts';

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.close());

type Line = Record<string, unknown>;
const ndjson = (rows: unknown[]) =>
  rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n');

async function bulk(body: string, options: { query?: string; headers?: Record<string, string> } = {}) {
  const headers = { 'content-type': 'application/x-ndjson', ...options.headers };
  const reply = await service.api('POST', `/user/bulk${options.query ?? ''}`, body, undefined, headers);
  const text = typeof reply.body === 'string' ? reply.body : `${JSON.stringify(reply.body)}\n`;
  const isLines = reply.headers.get('content-type')?.startsWith('application/x-ndjson');
  const lines = isLines
    ? text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Line)
    : [];
  return { ...reply, text, lines };
}

test('each valid row creates a user, and an invalid row fails alone with its code', async () => {
  const { status, lines } = await bulk(
    ndjson([
      { LoginID: 'b-1', FirstName: 'Bo' },
      { LoginID: 'b-2', Firstname: 'typo' },
      'not json',
      '',
      { FirstName: 'nobody' },
      { LoginID: 'b-3', Password: 'hashed' },
      { LoginID: 'b-1', FirstName: 'Bo' },
      { LoginID: 'b-1', FirstName: 'Other' },
      { LoginID: 'b-4', FirstName: 'x'.repeat(70_000) },
      { LoginID: 'b-5' },
    ]),
  );
  assert.equal(status, 200);
  assert.deepEqual(
    lines.map(({ Row, Status, LoginID, code }) => [Row, Status, LoginID, code]),
    [
      [1, 201, 'b-1', undefined],
      [2, 422, 'b-2', 'unknown_field'],
      [3, 400, undefined, 'malformed_request'],
      [4, 422, undefined, 'validation_failed'],
      [5, 201, 'b-3', undefined],
      [6, 200, 'b-1', undefined],
      [7, 409, 'b-1', 'user_exists'],
      [8, 413, undefined, 'payload_too_large'],
      [9, 201, 'b-5', undefined],
    ],
  );
  assert.deepEqual(lines[6]?.differs, ['FirstName']);
  const check = await service.api('POST', '/user/check/b-3', { Password: 'hashed' });
  assert.equal(check.body.Result, 1);
});

test('each new user writes one event', async () => {
  await bulk(ndjson([{ LoginID: 'event-1' }, { LoginID: 'event-2' }]));
  await bulk(ndjson([{ LoginID: 'event-1' }, { LoginID: 'event-2' }]));
  const { rows } = await sql<{ told: number }>`
    select count(*)::int as told from event
    where tenant_id = 'test' and type = 'user.created' and data->>'LoginID' like 'event-%'`.execute(
    service.ctx.db,
  );
  assert.equal(rows[0]?.told, 2);
});

test('CSV may contain quotes, empty cells and a byte order mark, and the response is CSV', async () => {
  const csv =
    '\ufeffLoginID,FirstName,LastName,IsAdmin\r\n' +
    'c-1,"Lee, ""the"" one","two\nlines",true\r\nc-2,,,maybe\r\n"c-3"x,,,\r\nc-4,a,b,true,extra\r\nc-5,,,\r\n';
  const { text, headers } = await bulk(csv, { headers: { 'content-type': 'text/csv', accept: 'text/csv' } });
  assert.match(headers.get('content-type') ?? '', /^text\/csv/);
  const lines = text.split('\r\n');
  assert.equal(lines[0], 'Row,Status,LoginID,code,param,detail');
  assert.equal(lines[1], '1,201,c-1,,,');
  assert.match(lines[2] ?? '', /^2,422,c-2,validation_failed,IsAdmin,/);
  assert.match(lines[3] ?? '', /^3,400,,malformed_request,,/);
  assert.match(lines[4] ?? '', /^4,400,,malformed_request,,/);
  assert.equal(lines[5], '5,201,c-5,,,');
  const { body } = await service.api('GET', '/user/c-1');
  assert.deepEqual([body.FirstName, body.LastName, body.IsAdmin], ['Lee, "the" one', 'two\nlines', true]);
});

test('plan=true reports what would happen and changes nothing', async () => {
  await service.api('POST', '/user', { LoginID: 'p-1', FirstName: 'Known', Password: 'secret' });
  const rows = [
    { LoginID: 'p-1', FirstName: 'Known', Password: 'secret' },
    { LoginID: 'p-1', Password: 'other' },
    { LoginID: 'p-2', Password: 'new' },
    { LoginID: '' },
  ];
  const { lines } = await bulk(ndjson(rows), { query: '?Plan=true' });
  assert.deepEqual(
    lines.map(({ Status, Plan, differs }) => [Status, Plan, differs]),
    [
      [200, 'exists', undefined],
      [409, 'differs', ['Password']],
      [201, 'created', undefined],
      [422, 'error', undefined],
    ],
  );
  assert.equal((await service.api('GET', '/user/p-2')).status, 404);
});

test('repeating a call with an Idempotency-Key replays its rows', async () => {
  const rows = Array.from({ length: 450 }, (_, n) => ({ LoginID: `k-${n}` }));
  const headers = { 'idempotency-key': 'bulk-1' };
  const first = await bulk(ndjson(rows), { headers });
  const again = await bulk(ndjson(rows), { headers });
  assert.equal(first.lines.length, 450);
  assert.ok(first.lines.every(({ Status, Row }, at) => Status === 201 && Row === at + 1));
  assert.equal(again.text, first.text);
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  const other = await bulk(ndjson([{ LoginID: 'other' }]), { headers });
  assert.equal(other.status, 422);
  assert.equal(other.body.code, 'idempotency_key_reused');
});

test('input that is invalid as a whole is rejected', async () => {
  const key = (await service.api('POST', '/tenant/test/key', { Name: 'reader', Scopes: ['users:read'] }))
    .body;
  const headers = { 'content-type': 'application/x-ndjson' };
  const refused = await service.api('POST', '/user/bulk', '{"LoginID":"x"}', key.Secret, headers);
  assert.equal(refused.body.code, 'scope_missing');
  const types = await bulk('x', { headers: { 'content-type': 'application/zip' } });
  assert.equal(types.status, 415);
  assert.equal(
    (await bulk('{"LoginID":"x"}', { headers: { 'content-type': 'application/json' } })).status,
    415,
  );
  const twice = await bulk('LoginID,LoginID\na,b\n', { headers: { 'content-type': 'text/csv' } });
  assert.equal(twice.body.code, 'validation_failed');
  assert.equal((await service.api('POST', '/user', '{"LoginID":"y"}', undefined, headers)).status, 415);
});

test('an empty body yields no results', async () => {
  const { status, lines } = await bulk('\n');
  assert.equal(status, 200);
  assert.deepEqual(lines, []);
});

test("another tenant's call creates that tenant's own users", async () => {
  await service.api('POST', '/tenant', { TenantID: 'elsewhere' });
  await bulk(ndjson([{ LoginID: 'same' }]));
  const { lines } = await bulk(ndjson([{ LoginID: 'same' }]), { headers: { tenant: 'elsewhere' } });
  assert.equal(lines[0]?.Status, 201);
});

test('Windows line endings never become part of a value, no matter where chunks are split', async () => {
  const rows = Array.from({ length: 450 }, (_, n) => `crlf-${n},Lee`);
  const body = ['LoginID,LastName', ...rows].join('\r\n');
  const { lines } = await bulk(body, { headers: { 'content-type': 'text/csv' } });
  assert.ok(lines.every(({ Status }) => Status === 201));
  const known = await service.api('GET', '/user?Search=crlf-', undefined, undefined, {
    accept: 'application/x-ndjson',
  });
  const names = String(known.body)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).LastName);
  assert.deepEqual(names, Array(450).fill('Lee'));
});

test('spaces around an ID are removed, because the ID could not be corrected later', async () => {
  const headers = { 'content-type': 'text/csv' };
  const csv = 'LoginID,FirstName\n"A00050 ",Ann\n A00051,Bo\n\u00a0A00052\u00a0,Cy\nA00050,Ann\n';
  const planned = await bulk(csv, { query: '?Plan=true', headers });
  const named = ['LoginID'];
  assert.deepEqual(
    planned.lines.map(({ LoginID, Plan, Trimmed }) => [LoginID, Plan, Trimmed]),
    [
      ['A00050', 'created', named],
      ['A00051', 'created', named],
      ['A00052', 'created', named],
      ['A00050', 'exists', undefined],
    ],
  );
  const { lines } = await bulk(csv, { headers });
  assert.deepEqual(
    lines.map(({ Status, LoginID, Trimmed }) => [Status, LoginID, Trimmed]),
    [
      [201, 'A00050', named],
      [201, 'A00051', named],
      [201, 'A00052', named],
      [200, 'A00050', undefined],
    ],
  );
  const json = await bulk(
    ndjson([
      { LoginID: ' A00050 ', FirstName: 'Ann' },
      { LoginID: 'A00053\t' },
      { LoginID: ' ' },
      { LoginID: 'A00054', OtherID: ' x' },
    ]),
  );
  assert.deepEqual(
    json.lines.map(({ Status, LoginID, Trimmed }) => [Status, LoginID, Trimmed]),
    [
      [200, 'A00050', named],
      [201, 'A00053', named],
      [422, '', named],
      [422, 'A00054', undefined],
    ],
  );
  assert.equal((await service.api('GET', '/user/A00050%20')).body.LoginID, 'A00050');
});

test('a plan warns of new users whose LoginID differs only in case from an existing one', async () => {
  const known = [
    'case-bob',
    'CASE-ÉLODIE',
    'case-σίσυφος',
    'case-anna',
    'Case-Anna',
    'case-ID',
    ' case-space',
  ];
  for (const LoginID of known) await service.api('POST', '/user', { LoginID });
  const tenant = await newTenant(service);
  await tenant.api('POST', '/user', { LoginID: 'CASE-OTHER' });
  const rows = [
    'Case-Bob',
    'case-élodie',
    'CASE-ΣΊΣΥΦΟΣ',
    'case-bob',
    'CASE-ANNA',
    'case-other',
    'case-id',
    'case-new',
  ];
  const planned = await bulk(ndjson([...rows, 'case-SPACE'].map((LoginID) => ({ LoginID }))), {
    query: '?Plan=true',
  });
  assert.deepEqual(
    planned.lines.map(({ LoginID, Plan, SimilarLoginID }) => [LoginID, Plan, SimilarLoginID]).slice(0, 4),
    [
      ['Case-Bob', 'created', 'case-bob'],
      ['case-élodie', 'created', 'CASE-ÉLODIE'],
      ['CASE-ΣΊΣΥΦΟΣ', 'created', 'case-σίσυφος'],
      ['case-bob', 'exists', undefined],
    ],
  );
  const [anna, other, id, fresh, space] = planned.lines.slice(4);
  assert.match(String(anna?.SimilarLoginID), /^case-anna$/i);
  assert.deepEqual(
    [other?.SimilarLoginID, id?.SimilarLoginID, fresh?.SimilarLoginID],
    [undefined, 'case-ID', undefined],
  );
  assert.equal(space?.SimilarLoginID, 'case-space');
  // An import creates the user, because the tenant may mean two people.
  const { lines } = await bulk(ndjson([{ LoginID: 'Case-Bob' }]));
  assert.deepEqual([lines[0]?.Status, lines[0]?.SimilarLoginID], [201, undefined]);
});

test('similar LoginIDs are found with their index', async () => {
  const explained = await transaction(service.ctx, async (ctx) => {
    await sql`set local enable_seqscan = off`.execute(ctx.db);
    return run<{ 'QUERY PLAN': string }>(
      ctx,
      `/* across tenants: a test reads the plan */ explain ${similarUsersText}`,
      ['test', ['a']],
    );
  });
  assert.match(JSON.stringify(explained), /user_by_caseless_login/);
});

test('an email address without @ fails its row, and a blank address is ignored', async () => {
  const said = 'Email must be an email address such as ada@example.com. Leave it blank if there is none.';
  const csv = 'LoginID,Email\nmail-1,n/a\nmail-2,\nmail-3,jörg@ärger.example\nmail-4,@\n';
  for (const query of ['?Plan=true', '']) {
    const { lines } = await bulk(csv, { query, headers: { 'content-type': 'text/csv' } });
    assert.deepEqual(
      lines.map(({ Status, param, detail }) => [Status, param, detail]),
      [
        [422, 'Email', said],
        [201, undefined, undefined],
        [201, undefined, undefined],
        [422, 'Email', said],
      ],
    );
  }
  const rows = [
    { LoginID: 'mail-5', Email: 'none' },
    { LoginID: 'mail-6', Email: null },
    { LoginID: 'mail-7', Email: '' },
  ];
  const { lines } = await bulk(ndjson(rows));
  assert.deepEqual(
    lines.map(({ Status }) => Status),
    [422, 201, 201],
  );
  // The interface defines no format for Email, so a single call accepts any text.
  assert.equal((await service.api('POST', '/user', { LoginID: 'mail-8', Email: 'n/a' })).status, 201);
});
