import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { startService } from './support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant, type TestTenant } from './support/tenant.ts';

const service = await startService();
after(service.close);

const csv = { 'content-type': 'text/csv' };
const ndjson = { 'content-type': 'application/x-ndjson' };
type Row = Record<string, unknown>;
const linesOf = (text: string): Row[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

async function exported(tenant: TestTenant, Accept: string): Promise<string> {
  const reply = await tenant.api('GET', '/user', undefined, { Accept });
  expectStatus(reply, 200);
  return reply.body;
}

async function imported(tenant: TestTenant, body: string, headers: Record<string, string>): Promise<Row[]> {
  const reply = await tenant.api('POST', '/user/bulk?Plan=false', body, headers);
  expectStatus(reply, 200);
  return linesOf(reply.body);
}

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '+49',
        "'",
        '=',
        '-',
        '@',
        '"',
        ',',
        ';',
        '\t',
        '\r',
        '\n',
        ' ',
        '#N/A',
        '\u200b',
        'é',
        'e\u0301',
      ),
      fc.string({ unit: 'grapheme', maxLength: 4 }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join('').replaceAll('\0', '').toWellFormed());
const user = fc.record({
  LoginID: text.map((id) => id.replaceAll(/\p{Cc}/gu, '')),
  FirstName: fc.option(text),
  LastName: fc.option(text),
  GroupName: fc.option(text),
  Email: fc.constantFrom(null, 'Ä@x.example', '+a@x.example'),
  Register: fc.boolean(),
  Enabled: fc.boolean(),
});

test('an exported file of users is the same when it is imported and exported again', async () => {
  const one = await newTenant(service);
  const rows = fc.sample(user, { numRuns: 400, seed: 7 });
  const made = await imported(
    one,
    rows.map((row, n) => JSON.stringify({ ...row, LoginID: `${row.LoginID}${n}` })).join('\n'),
    ndjson,
  );
  assert.ok(
    made.filter(({ Status }) => Status === 201).length > 390,
    JSON.stringify(made.find(({ Status }) => Status !== 201)),
  );
  expectStatus(await one.api('POST', '/user', { LoginID: '+49 151' }), 201);
  expectStatus(await one.api('POST', '/user', { LoginID: "'+49 151" }), 201);
  const users = linesOf(await exported(one, 'application/x-ndjson'));
  const own = ({ CreatedAt: _, UpdatedAt: __, ...rest }: Row) => rest;
  for (const [accept, type] of [
    ['text/csv', 'text/csv'],
    ['text/csv; formulas=raw', 'text/csv; formulas=raw'],
    ['application/x-ndjson', 'application/x-ndjson'],
  ] as const) {
    const file = await exported(one, accept);
    const again = await imported(one, file, { 'content-type': type });
    assert.deepEqual(
      [...new Set(again.map(({ Status }) => Status))],
      [200],
      JSON.stringify(again.find(({ Status }) => Status !== 200)),
    );
    const other = await newTenant(service);
    const created = await imported(other, file, { 'content-type': type });
    assert.ok(created.every(({ Status }) => Status === 201));
    assert.deepEqual(linesOf(await exported(other, 'application/x-ndjson')).map(own), users.map(own));
  }
});

test('an exported file of enrolments can be imported', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service);
  const LoginID = await tenant.user();
  const Metadata = { colour: '=red', 'a,b': '"x"' };
  expectStatus(await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`, { Reference: '+1', Metadata }), 201);
  const file = await tenant.api('GET', '/enrolment', undefined, { Accept: 'text/csv' });
  const other = await newTenant(service);
  expectStatus(await other.api('POST', '/user', { LoginID }), 201);
  const reply = await other.api('POST', '/enrol/bulk', file.body, csv);
  const [line] = linesOf(reply.body);
  assert.equal(line?.Status, 201, reply.body);
  const read = await other.api('GET', `/enrolment/${LoginID}/${line?.EnrollID}`);
  assert.deepEqual([read.body.Reference, read.body.Metadata], ['+1', Metadata]);
});

test('a file without the necessary columns is rejected as a whole, in a plan too', async () => {
  const tenant = await newTenant(service);
  for (const body of [
    'Staff list 2026\r\n',
    '',
    '\n\n',
    'loginid,FirstName\nx,y\n',
    'LoginID;FirstName\nx;y\n',
  ])
    for (const path of ['/user/bulk', '/user/bulk?Plan=true', '/enrol/bulk'])
      expectProblem(await tenant.api('POST', path, body, csv), 422, 'validation_failed', 'LoginID');
  expectProblem(
    await tenant.api('POST', '/enrol/bulk', 'LoginID\nx\n', csv),
    422,
    'validation_failed',
    'CourseID',
  );
  const lines = await imported(tenant, 'LoginID,FirstName\rcr1,Zoe\rcr2,Bob\r', csv);
  assert.deepEqual(lines, [
    { Row: 1, Status: 201, LoginID: 'cr1' },
    { Row: 2, Status: 201, LoginID: 'cr2' },
  ]);
});

test('a plan warns of what spreadsheets make of IDs', async () => {
  const tenant = await newTenant(service);
  const file =
    'LoginID,FirstName\r\n\u200bann,Ann\r\nb\u202den,Ben\r\n1.23457E+11,Cid\r\n#N/A,Dan\r\n"=""00123""",Eve\r\n12E4,Flo\r\n';
  const reply = await tenant.api('POST', '/user/bulk?Plan=true', file, csv);
  const found = linesOf(reply.body).map(({ LoginID, Trimmed, Damaged }) => [LoginID, Trimmed ?? Damaged]);
  assert.deepEqual(found, [
    ['ann', ['LoginID']],
    ['ben', ['LoginID']],
    ['1.23457E+11', ['LoginID']],
    ['#N/A', ['LoginID']],
    ['="00123"', ['LoginID']],
    ['12E4', undefined],
  ]);
});
