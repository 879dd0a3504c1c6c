import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeXlsx } from 'hucre/xlsx';
import { checkRows } from './checks.ts';
import { bodyOf, rowChunksOf } from './chunks.ts';
import { fieldsFor } from './headings.ts';
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
  const findings = await checkRows(source, { subject: 'users', fields }, inTime());
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
  const findings = await checkRows(source, { subject: 'enrolments', fields }, inTime());
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
