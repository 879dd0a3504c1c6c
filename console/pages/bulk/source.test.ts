import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf, rowChunksOf } from './chunks.ts';
import { delimiterOf, readCells } from './csv-text.ts';
import { addedFields } from './existing.ts';
import { fieldsFor } from './headings.ts';
import { openSource, textOf } from './source.ts';
import { missingFields } from './subjects.ts';

const open = (name: string, content: string | Buffer) =>
  openSource(
    new File([typeof content === 'string' ? content : new Uint8Array(content)], name),
    'users',
    AbortSignal.timeout(5000),
  );

test('quoted cells are parsed, and invalid CSV is reported', () => {
  const read: [string, string[] | null][] = [
    ['a,b', ['a', 'b']],
    ['', ['']],
    ['a,', ['a', '']],
    ['"a,b","c ""d"""', ['a,b', 'c "d"']],
    ['"a\nb",', ['a\nb', '']],
    ['a "b",c', null],
    ['"a"b,c', null],
    ['"a', null],
  ];
  for (const [row, cells] of read) assert.deepEqual(readCells(row, ','), cells, row);
  assert.equal(delimiterOf('LoginID;"Name, first"'), ';');
  assert.equal(delimiterOf('LoginID\tName'), '\t');
  assert.equal(delimiterOf('LoginID'), ',');
});

test('a spreadsheet export is read with line numbers and rewritten for the service', async () => {
  const text =
    '\r\nLogin ID;Last name;Remark\r\nbo;"Bü\r\nrg";x\r\n\r\n;;\r\ncy;Cole;y;z\r\ndi;"D"x;\r\n \r\n';
  const source = await open('staff.csv', Buffer.from(text, 'latin1'));
  assert.deepEqual(
    { encoding: source.encoding, rows: source.rows, lines: source.lines, columns: source.columns },
    { encoding: 'windows-1252', rows: 3, lines: [3, 7, 8], columns: ['Login ID', 'Last name', 'Remark'] },
  );
  assert.deepEqual(source.samples[0], { line: 3, cells: ['bo', 'Bü\r\nrg', 'x'] });
  const fields = fieldsFor('users', source.columns);
  assert.deepEqual(fields, ['LoginID', 'LastName', null]);
  const [chunk] = rowChunksOf(source);
  assert.ok(chunk);
  // The service rejects both the row with a surplus cell and the row of invalid CSV.
  const rows = ['LoginID,LastName', 'bo,"Bü\r\nrg"', 'cy,Cole,z', '""?""'];
  assert.equal(await bodyOf(source, fields, chunk), rows.join('\n'));
  assert.deepEqual(await textOf(source, 1, 3), ['cy;Cole;y;z', 'di;"D"x;']);
});

test('lines may end with CR, and a file with only a title has no column names', async () => {
  const source = await open('cr.csv', 'LoginID,FirstName\r\rann,Zoe\rbo,"B\ro"\r');
  assert.deepEqual([source.rows, source.lines], [2, [3, 4]]);
  assert.deepEqual(await textOf(source, 0, 2), ['ann,Zoe', 'bo,"B\ro"']);
  await assert.rejects(open('title.csv', 'Staff list 2026\r\n'), { why: 'header' });
  await assert.rejects(open('header.csv', 'LoginID,FirstName\r\n'), { why: 'empty' });
});

test('a row is kept even if all of its imported columns are empty', async () => {
  const source = await open('one.csv', 'LoginID,Other\nann,1\n,2\n');
  const [chunk] = rowChunksOf(source);
  assert.ok(chunk);
  assert.equal(await bodyOf(source, ['LoginID', null], chunk), 'LoginID\nann\n""');
});

test('JSON lines are sent unchanged', async () => {
  const text = '{"LoginID":"ann"}\n\n{"LoginID":"bo","Metadata":{"a":1}}\nnonsense';
  const source = await open('users.jsonl', text);
  assert.deepEqual([source.rows, source.lines, source.columns], [3, [1, 3, 4], ['LoginID', 'Metadata']]);
  const [chunk] = rowChunksOf(source);
  assert.ok(chunk);
  assert.equal(new TextDecoder().decode((await bodyOf(source, [], chunk)) as Uint8Array), text);
});

test('chunks are limited in rows and bytes, and omit no row', async () => {
  const many = await open(
    'many.csv',
    `LoginID\n${Array.from({ length: 4001 }, (_, n) => `u${n}`).join('\n')}`,
  );
  assert.deepEqual(
    rowChunksOf(many).map(({ from, to }) => [from, to]),
    [
      [0, 2000],
      [2000, 4000],
      [4000, 4001],
    ],
  );
  const wide = await open(
    'wide.csv',
    `LoginID\n${Array.from({ length: 30 }, () => 'x'.repeat(60_000)).join('\n')}`,
  );
  const chunks = rowChunksOf(wide);
  assert.ok(chunks.length > 2 && chunks.every(({ from, to }) => to - from <= 13));
  assert.equal(chunks.at(-1)?.to, 30);
});

test('columns are recognised in any spelling, and each field is used only once', () => {
  const columns = ['login_id', 'FIRST NAME', 'e-mail', 'Email', 'Metadata.colour', 'Remark'];
  assert.deepEqual(fieldsFor('users', columns), ['LoginID', 'FirstName', null, 'Email', null, null]);
  const fields = fieldsFor('enrolments', columns);
  assert.deepEqual(fields, ['LoginID', null, null, null, 'Metadata.colour', null]);
  assert.deepEqual(missingFields('enrolments', fields), ['CourseID']);
});

test('files that do not contain a table are detected', async () => {
  const rejectionOf = async (name: string, content: string | Buffer) =>
    open(name, content).then(
      () => null,
      (thrown) => thrown.why,
    );
  assert.equal(await rejectionOf('a.xlsx', 'PK\u0003\u0004'), 'spreadsheet');
  assert.equal(await rejectionOf('a.csv', Buffer.from('\uFEFFLoginID\nann', 'utf16le')), 'utf16');
  assert.equal(await rejectionOf('a.csv', Buffer.from([1, 0, 2])), 'binary');
  assert.equal(await rejectionOf('a.csv', 'LoginID\n'), 'empty');
  assert.equal(await rejectionOf('a.csv', '"a"b,c\nann\n'), 'header');
});

test('the choices for users are added to each row, unless the file has them', async () => {
  const added = addedFields({ update: true, create: false }, ['LoginID']);
  const textOf = async (name: string, content: string) => {
    const source = await open(name, content);
    const chunk = rowChunksOf(source)[0] ?? { index: 0, from: 0, to: 0 };
    const body = await bodyOf(source, fieldsFor('users', source.columns), chunk, { added });
    return new Response(body).text();
  };
  assert.equal(
    await textOf('a.csv', 'LoginID;First name\nbo;"B\no"\n"a"b;x\ncy\n'),
    'IfExists,IfMissing,LoginID,FirstName\nupdate,fail,bo,"B\no"\nupdate,fail,""?""\nupdate,fail,cy,',
  );
  assert.equal(
    await textOf('a.jsonl', '{"LoginID":"$&"}\n { "IfExists":"fail"}\n{}\nno\n[{"LoginID":"x"}]\n'),
    [
      '{"IfExists":"update","IfMissing":"fail","LoginID":"$&"}',
      '{"IfExists":"update","IfMissing":"fail", "IfExists":"fail"}',
      '{}',
      'no',
      '[{"LoginID":"x"}]',
    ].join('\n'),
  );
  assert.deepEqual(addedFields({ update: false, create: true }, []), {});
  assert.deepEqual(addedFields({ update: true, create: false }, ['IfExists']), { IfMissing: 'fail' });
});
