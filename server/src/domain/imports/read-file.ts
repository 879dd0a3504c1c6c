import { Readable } from 'node:stream';
import { type Info, parse } from 'csv-parse';
import { Problem } from '../../lib/errors.ts';
import { headerRowOf, maxTitleRows } from './headings.ts';

/** About 100,000 people. A program sends larger files to the bulk calls, which read them as a stream. */
const maxBytes = 8 * 1024 ** 2;

export type FileRow = { line: number; cells: string[] };
export type ReadFile = { names: string[]; rows: FileRow[] };

/** Collects the body, which arrives as a stream. */
export async function collect(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new Problem(
        'payload_too_large',
        'The file is larger than 8 MiB. Split it, or send it to POST /user/bulk, which accepts files of any size.',
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const refused = (detail: string) => new Problem('validation_failed', detail);

function textOf(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0x50 && second === 0x4b)
    throw refused('The file is a spreadsheet or an archive. Save it as CSV, or import it in the console.');
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes.includes(0)) throw refused('The file is not a text file. Save it as CSV.');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

const delimiters = [',', ';', '\t'];

/** The delimiter that a line such as `sep=;` names, or else the most frequent one in the first lines. */
function delimiterOf(text: string): string {
  const named = /^sep=(.)\r?\n/i.exec(text)?.[1];
  if (named !== undefined) return named;
  const head = text.slice(0, 4096).split('\n', maxTitleRows + 1);
  const counts = delimiters.map((one) => head.reduce((sum, line) => sum + line.split(one).length - 1, 0));
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}

function* slicesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; from += 16_384) yield text.slice(from, from + 16_384);
}

/** Reads CSV in the usual variants: any of three delimiters, UTF-8, UTF-16 or Windows-1252, title rows before the header. */
export async function readFile(bytes: Buffer): Promise<ReadFile> {
  const text = textOf(bytes);
  const delimiter = delimiterOf(text);
  const hasLine = /^sep=.\r?\n/i.test(text);
  const options = { delimiter, bom: true, info: true, relax_column_count: true, relax_quotes: true };
  const parser = Readable.from(slicesOf(text)).pipe(
    parse({ ...options, skip_empty_lines: true, max_record_size: 64 * 1024 }),
  );
  const rows: FileRow[] = [];
  try {
    for await (const { info, record } of parser as AsyncIterable<{ info: Info; record: string[] }>) {
      const breaks = record.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);
      if (record.some((cell) => cell.trim() !== '')) rows.push({ line: info.lines - breaks, cells: record });
    }
  } catch {
    const line = (rows.at(-1)?.line ?? 0) + 1;
    throw refused(
      `The file cannot be read from line ${line} on. Check whether a closing quote is missing there.`,
    );
  }
  if (hasLine) rows.shift();
  const header = headerRowOf(rows.slice(0, maxTitleRows + 1).map(({ cells }) => cells));
  const names = rows[header]?.cells.map((name) => name.trim());
  if (!names) throw refused('The file is empty. Its first row must have the names of the columns.');
  const found = rows.slice(header + 1);
  if (found.length === 0)
    throw refused('The file has no rows below its column names. Add one row for each person.');
  return { names, rows: found };
}
