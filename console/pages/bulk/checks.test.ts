import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeXlsx } from 'hucre/xlsx';
import { checkRows } from './checks.ts';
import { bodyOf, rowChunksOf } from './chunks.ts';
import { type DateOrder, dateOrderOf, endOfDay } from './dates.ts';
import { fieldsFor } from './headings.ts';
import { sumOf, toOutcome } from './outcome.ts';
import { openSource } from './source.ts';
import type { Subject } from './subjects.ts';

const inTime = () => AbortSignal.timeout(10_000);
const open = (name: string, content: BlobPart, subject: Subject = 'users') =>
  openSource(new File([content], name), subject, inTime());

test('common headings in three languages are recognised', () => {
  const headings: [Subject, string[], (string | null)[]][] = [
    [
      'users',
      ['Staff no', 'Surname', 'Given name', 'E-mail address', 'Department', 'Start date'],
      ['LoginID', 'LastName', 'FirstName', 'Email', 'GroupName', null],
    ],
    [
      'users',
      ['Personal-Nr.', 'Nachname', 'VORNAME', 'E-Mail', 'Abteilung'],
      ['LoginID', 'LastName', 'FirstName', 'Email', 'GroupName'],
    ],
    [
      'users',
      ['Matricule', 'Nom', 'prenom', 'Courriel', 'Équipe'],
      ['LoginID', 'LastName', 'FirstName', 'Email', 'GroupName'],
    ],
    ['enrolments', ['Username', 'Kurs', 'Bon de commande'], ['LoginID', 'CourseID', 'Reference']],
    // The field's own name takes precedence over a synonym, whatever their order.
    ['users', ['Username', 'Login ID', 'LoginID'], [null, null, 'LoginID']],
    ['users', ['Group', 'Department'], ['GroupName', null]],
  ];
  for (const [subject, columns, fields] of headings) assert.deepEqual(fieldsFor(subject, columns), fields);
});

test('columns about courses are recognised in a file of users only if it names courses', () => {
  const columns = ['Personalnummer', 'Kurs', 'Dauer', 'Gültig bis', 'Referenz', 'Metadata.shift'];
  assert.deepEqual(fieldsFor('users', columns), [
    ...['LoginID', 'CourseID', 'DurationID', 'ExpiresAt', 'Reference', 'Metadata.shift'],
  ]);
  assert.deepEqual(fieldsFor('users', columns.toSpliced(1, 1)), ['LoginID', null, null, null, null]);
  assert.deepEqual(fieldsFor('users', ['Matricule', 'Cours', 'Durée', 'Date de fin']), [
    ...['LoginID', 'CourseID', 'DurationID', 'ExpiresAt'],
  ]);
});

test('a user may have a row for each course, but the rows must not contradict each other', async () => {
  const text = [
    'LoginID,FirstName,LastName,CourseID,ExpiresAt',
    'ann,Ann,Lee,ladders,',
    'ann,Ann,,hygiene,30.6.2027',
    'ann,,,,',
    'ann,Ann,Lee,ladders,',
    'ann,Anna,Lee,phishing,',
    'Ann,Ann,Lee,safety,',
    'bo,Bo,,ladders,31.6.2027',
    'cy,Cy,,ladders,1/2/2027',
  ].join('\n');
  const source = await open('staff.csv', text);
  const fields = fieldsFor('users', source.columns);
  const input = { subject: 'users', fields } as const;
  const found = async (order: DateOrder) =>
    [...(await checkRows(source, input, order, inTime()))].map(([row, { code, field, value, otherLine }]) => [
      ...[row, code, field, value, otherLine],
    ]);
  const always = [
    [3, 'repeated_in_file', 'LoginID', 'ann', 2],
    [4, 'conflict_in_file', 'FirstName', 'Anna', 2],
    [5, 'similar_in_file', 'LoginID', 'Ann / ann', 2],
    [6, 'invalid_date', 'ExpiresAt', '31.6.2027', null],
  ];
  assert.deepEqual(await found('day-month'), always);
  assert.deepEqual(await found(null), [...always, [7, 'ambiguous_date', 'ExpiresAt', '1/2/2027', null]]);
});

test('dates become the end of the day, and the column shows the order of day and month', async () => {
  const end = (day: string) => new Date(`${day}T23:59:59`).toISOString();
  const cases: [string, DateOrder, string | null][] = [
    ['2027-06-30', null, end('2027-06-30')],
    ['2027-6-3', null, end('2027-06-03')],
    ['2027-06-30T12:00:00Z', null, '2027-06-30T12:00:00Z'],
    ['30.06.2027', 'month-day', end('2027-06-30')],
    ['3. 6. 2027', null, end('2027-06-03')],
    ['30/6/2027', null, end('2027-06-30')],
    ['6/30/2027', null, end('2027-06-30')],
    ['3/6/2027', 'day-month', end('2027-06-03')],
    ['3-6-2027', 'month-day', end('2027-03-06')],
    ['3/3/2027', null, end('2027-03-03')],
    ['3/6/2027', null, 'ambiguous'],
    ['2027-02-29', null, null],
    ['30/13/2027', null, null],
    ['30.6.27', null, null],
    ['soon', null, null],
    ['2027-06-30Tnoon', null, null],
  ];
  for (const [text, order, expected] of cases) assert.equal(endOfDay(text, order), expected, text);
  const orderOf = async (...dates: string[]) =>
    dateOrderOf(
      await open('a.csv', ['LoginID,End', ...dates.map((date) => `a,${date}`)].join('\n')),
      1,
      inTime(),
    );
  assert.equal(await orderOf('1/2/2027', ' 31/1/2027'), 'day-month');
  assert.equal(await orderOf('1/2/2027', '1/31/2027'), 'month-day');
  assert.equal(await orderOf('31/1/2027', '1/31/2027', '30/1/2027'), null);
  assert.equal(await orderOf('1/2/2027', 'n/a'), null);
});

test('users with enrolments are counted once, and their enrolments separately', () => {
  const enrolled = { Status: 201, CourseID: 'ladders', EnrollID: 'e1' };
  const lines = [
    { Row: 1, Status: 201, LoginID: 'ann', Enrolment: enrolled },
    {
      Row: 2,
      Status: 200,
      LoginID: 'ann',
      Enrolment: { Status: 404, code: 'course_not_found', param: 'CourseID' },
    },
    { Row: 3, Status: 409, LoginID: 'bo', code: 'user_exists', differs: ['Email'] },
    { Row: 4, Status: 422, code: 'validation_failed' },
    { Row: 5, Status: 200, LoginID: 'cy', Changed: ['Email'], Enrolment: { Status: 200, EnrollID: 'e2' } },
  ];
  // A plan may report a user as new in each chunk.
  const more = [
    { Row: 1, Status: 201, LoginID: 'ann', Enrolment: enrolled },
    { Row: 2, Status: 200, LoginID: 'cy', Changed: ['Email'] },
    { Row: 3, Status: 200, LoginID: 'cy', Enrolment: { Status: 503, code: 'unavailable' } },
  ];
  const outcomes = [toOutcome(lines, 0, (row) => row + 2, true), toOutcome(more, 5, (row) => row + 2, true)];
  const { counts, enrolments, rejected, changed, temporary, rows } = sumOf(outcomes);
  assert.deepEqual(counts, { created: 1, updated: 1, exists: 0, differs: 1, refused: 1 });
  assert.deepEqual(enrolments, { created: 2, updated: 0, exists: 1, differs: 0, refused: 2 });
  assert.deepEqual([changed, temporary, rows], [{ Email: 1 }, 1, 8]);
  assert.deepEqual(
    rejected.map(({ line, loginId, field, code }) => [line, loginId, field, code]),
    [
      [3, 'ann', 'CourseID', 'course_not_found'],
      [4, 'bo', 'Email', 'user_exists'],
      [5, null, null, 'validation_failed'],
      [9, 'cy', null, 'unavailable'],
    ],
  );
});

test('lines above the column names are skipped, whatever their delimiter', async () => {
  const source = await open(
    'staff.csv',
    'Staff list 2026, all sites\n\nPrinted on;2026-11-01\nStaff no;Surname\n7;Berg\n',
  );
  const { headerLine, columns, rows, lines, csv } = source;
  assert.deepEqual(
    { headerLine, columns, rows, lines, csv },
    { headerLine: 4, columns: ['Staff no', 'Surname'], rows: 1, lines: [5], csv: { delimiter: ';' } },
  );
  // The first row is the header if no row has a known name, or if the first row itself has known names.
  assert.equal((await open('a.csv', 'one,two\nthree,four\n')).headerLine, null);
  assert.equal((await open('a.csv', 'LoginID,two\nUsername,Surname\n')).headerLine, null);
});

test('repeated users, other spellings, totals and invalid email addresses are found', async () => {
  const text = [
    'LoginID,FirstName,Email',
    ' bob ,Bob,bob@example.com',
    'ann,Ann,n/a',
    'bob,Bob,',
    'Bob,Bob,bob@example.com',
    'cy,Cy,cy at example.com',
    'di,Di,di@localhost',
    'Total: 5,,',
    'total,Tina,total@example.com',
    'ed,"Ed"x,',
    ',,',
    'fy,Fy,',
  ].join('\n');
  const source = await open('staff.csv', text);
  const fields = fieldsFor('users', source.columns);
  const findings = await checkRows(source, { subject: 'users', fields }, null, inTime());
  const found = [...findings].map(([row, { code, value, otherLine }]) => [row, code, value, otherLine]);
  assert.deepEqual(found, [
    [2, 'repeated_in_file', 'bob', 2],
    [3, 'similar_in_file', 'Bob / bob', 2],
    [4, 'invalid_email', 'cy at example.com', null],
    [5, 'invalid_email', 'di@localhost', null],
    [6, 'summary_row', 'Total: 5', null],
  ]);
  const [chunk] = rowChunksOf(source);
  assert.ok(chunk);
  // The remaining rows are sent without surrounding spaces and placeholders.
  const sent = [
    'LoginID,FirstName,Email',
    'bob,Bob,bob@example.com',
    'ann,Ann,',
    'total,Tina,total@example.com',
  ];
  assert.equal(
    await bodyOf(source, fields, chunk, { isOmitted: (row) => findings.has(row) }),
    [...sent, '""?""', 'fy,Fy,'].join('\n'),
  );
});

test('a user can be enrolled on several courses, but not twice on the same one', async () => {
  const source = await open('a.csv', 'LoginID,CourseID\nann,one\nann,two\nANN,two\n', 'enrolments');
  const fields = fieldsFor('enrolments', source.columns);
  const findings = await checkRows(source, { subject: 'enrolments', fields }, null, inTime());
  assert.deepEqual([...findings.keys()], [2]);
});

test('the first sheet with rows in a workbook is read', async () => {
  const rows = [
    ['Staff list'],
    [],
    ['Staff no', 'Surname', 'Remark', 'Since', 'Active'],
    [4711, 'Berg, "A"', 'two\nlines', new Date('2024-03-01'), true],
    ['00042', 'Cole', null, null, false],
  ];
  const content = await writeXlsx({
    sheets: [
      { name: 'Empty', rows: [] },
      { name: 'People', rows },
    ],
  });
  const source = await open('staff.xlsx', new Uint8Array(content));
  const { headerLine, columns, lines, samples } = source;
  assert.deepEqual(
    { headerLine, columns, lines },
    { headerLine: 3, columns: ['Staff no', 'Surname', 'Remark', 'Since', 'Active'], lines: [4, 5] },
  );
  assert.deepEqual(
    samples.map(({ cells }) => cells),
    [
      ['4711', 'Berg, "A"', 'two lines', '2024-03-01', 'true'],
      ['00042', 'Cole', '', '', 'false'],
    ],
  );
  const empty = await writeXlsx({ sheets: [{ name: 'Empty', rows: [] }] });
  await assert.rejects(open('empty.xlsx', new Uint8Array(empty)), { message: 'empty' });
});
