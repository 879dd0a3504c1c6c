import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { csvRow } from '../../../../console/parts/csv.ts';
import { type RowFormat, readRows, rowWriter, type SourceRow } from './rows.ts';

const columns = ['LoginID', 'FirstName', 'Reference'];
const sign = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * Generates the separators of spreadsheets and careless parsers, and formula characters, more often
 * than random text would.
 */
const piece = fc.oneof(
  fc.constantFrom(...'\n\r\t\u0085\u2028\u2029\v\f\0=+-@＝＋－＠",;\' '),
  fc.constantFrom('\r\n', '\n=1+1', "\r=cmd|' /C calc'!A0", 'x'),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
);
const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
const records = fc.array(fc.tuple(text, text, text), { minLength: 1, maxLength: 5 });

const writers: [string, (rows: string[][]) => string][] = [
  [
    'the service',
    (rows) =>
      rowWriter(
        'csv',
        columns,
      )(rows.map((row) => Object.fromEntries(row.map((cell, n) => [columns[n], cell])))),
  ],
  ['the console', (rows) => [columns, ...rows].map((row) => csvRow(row)).join('')],
];

for (const [who, write] of writers)
  test(`any records written as CSV by ${who} are read back as the same rows without formulas`, () => {
    fc.assert(
      fc.property(records, (rows) => {
        const csv = write(rows);
        // The parser follows RFC 4180, but accepts any of three line endings.
        const read: string[][] = parse(csv, { record_delimiter: ['\r\n', '\n', '\r'] });
        assert.deepEqual(read[0], columns);
        assert.equal(read.length, rows.length + 1);
        for (const [at, row] of rows.entries())
          for (const [n, cell] of row.entries()) {
            const got = read[at + 1]?.[n] ?? '';
            assert.ok(got === cell || got === `'${cell}`, JSON.stringify([cell, got]));
            assert.doesNotMatch(got, sign);
            assert.ok(
              got === cell || /^'*(?:[\p{Cc}\u2028\u2029]*[=+\-@＝＋－＠]|[\t\r\n])/u.test(cell),
              'needless',
            );
          }
        // Parsers that recognise more row ends than RFC 4180 find no additional rows either.
        for (const line of csv.replaceAll(/"(?:[^"]|"")*"/g, 'quoted').split(/\r\n|[\p{Cc}\u2028\u2029]/u))
          assert.ok(line === '' || line.split(',').length === columns.length, JSON.stringify(line));
      }),
      { numRuns: 1_000 },
    );
  });

test('CSV that the service writes for people or programs can be read back by the service', async () => {
  const write = async (rows: string[][], rawCells: boolean) => {
    const written = rows.map((row) => Object.fromEntries(row.map((cell, n) => [columns[n], cell])));
    const csv = rowWriter('csv', columns, { rawCells })(written);
    const read: unknown[] = [];
    for await (const rows of readRows(Readable.from([Buffer.from(csv)]), 'csv', undefined, rawCells))
      read.push(...rows.map((row) => ('value' in row ? row.value : row.problem.message)));
    assert.deepEqual(
      read,
      written.map((row) => Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== ''))),
    );
  };
  const named = records.map((rows) => rows.map(([id, ...rest]) => [`+${id}`, ...rest]));
  await fc.assert(fc.asyncProperty(named, fc.boolean(), write), { numRuns: 600 });
});

test('the lines of CSV may end with CR, LF or both, but only quoted cells contain them', async () => {
  const cell = fc.constantFrom('a', 'Zoë', '"b\rc"', '"d\r\ne"', '"f""\n"');
  const end = fc.constantFrom('\r', '\n', '\r\n');
  const split = async (ids: string[], ends: string[], at: number) => {
    const text = ['LoginID', ...ids].map((id, n) => `${id}${ends[n % ends.length]}`).join('');
    const bytes = Buffer.from(text);
    const read: unknown[] = [];
    for await (const rows of readRows(Readable.from([bytes.subarray(0, at), bytes.subarray(at)]), 'csv'))
      read.push(...rows.map((row) => ('value' in row ? row.value : row.problem.message)));
    const plain = (id: string) => (id.startsWith('"') ? id.slice(1, -1).replaceAll('""', '"') : id);
    assert.deepEqual(
      read,
      ids.map((id) => ({ LoginID: plain(id) })),
    );
  };
  await fc.assert(
    fc.asyncProperty(fc.array(cell, { minLength: 1 }), fc.array(end, { minLength: 1 }), fc.nat(20), split),
  );
});

async function readText(text: string, format: RowFormat): Promise<SourceRow[]> {
  const found: SourceRow[] = [];
  for await (const rows of readRows(Readable.from([Buffer.from(text)]), format)) found.push(...rows);
  return found;
}

const readCsv = (text: string) => readText(text, 'csv');

test('a row that is deeply nested or has very many commas or values is rejected', async () => {
  const commas = await readCsv(`LoginID,Reference\nann,"${','.repeat(9_000)}"\nbob${','.repeat(60_000)}"\n`);
  const deep = await readText(
    `{"LoginID":"ann"}\n${'['.repeat(32_000)}\n[${'1,'.repeat(30_000)}1]\n`,
    'ndjson',
  );
  for (const [ann, ...others] of [commas, deep]) {
    assert.ok(ann && 'value' in ann);
    assert.ok(others.length > 0);
    for (const other of others) assert.ok('problem' in other && other.problem.code === 'validation_failed');
  }
});

test('a row with very many commas does not affect the rows after it', async () => {
  const rows = await readCsv(`LoginID,Reference\nann${','.repeat(20_000)}\nbob,b\ncid,c\n`);
  assert.deepEqual(
    rows.map((row) => ('value' in row ? row.value : row.problem.code)),
    ['validation_failed', { LoginID: 'bob', Reference: 'b' }, { LoginID: 'cid', Reference: 'c' }],
  );
});

test('a header that names both a field and its members is rejected', async () => {
  for (const header of ['LoginID,Metadata,Metadata.a', 'Metadata.a,LoginID,Metadata', '.a,""'])
    await assert.rejects(readCsv(`${header}\nx,y,z\n`), /a column for a field and a column for its member/);
});

test('the time to read rows with 200 columns and 64 kB is proportional to their length', async () => {
  const members = Array.from({ length: 198 }, (_, at) => `Metadata.a${at}`);
  const row = `ann,${'x'.repeat(60_000)}${',1'.repeat(198)}`;
  const used = process.threadCpuUsage();
  const [first] = await readCsv(`LoginID,Reference,${members.join(',')}\n${`${row}\n`.repeat(20)}`);
  const { user, system } = process.threadCpuUsage(used);
  assert.ok((user + system) / 1_000 < 1_000);
  assert.ok(first && 'value' in first);
  const { Metadata } = first.value as { Metadata: Record<string, string> };
  assert.equal(Object.keys(Metadata).length, 198);
});
