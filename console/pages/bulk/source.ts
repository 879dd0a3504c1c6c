import { type Delimiter, delimiterOf, readCells } from './csv-text.ts';
import { fieldFor, headerRowOf, maxTitleRows } from './headings.ts';
import { openRowFinder } from './row-finder.ts';
import { csvOfSpreadsheet } from './spreadsheet.ts';
import type { Subject } from './subjects.ts';

/** Why a file cannot be imported at all. */
export type Unusable = 'empty' | 'spreadsheet' | 'utf16' | 'binary' | 'header' | 'gone';

export class UnusableFile extends Error {
  readonly why: Unusable;
  constructor(why: Unusable) {
    super(why);
    this.why = why;
  }
}

/** A file whose row positions are known. Its content stays on disk. */
export type Source = {
  file: File;
  encoding: 'utf-8' | 'windows-1252';
  /** Null for JSON lines. */
  csv: { delimiter: Delimiter } | null;
  columns: string[];
  /** The line with the column names, if other lines precede it. */
  headerLine: number | null;
  rows: number;
  /** The byte offset of each row, followed by the end of the file. */
  starts: number[];
  /** The line on which each row starts. */
  lines: number[];
  samples: Sample[];
};

/** A row for display: one cell per column. */
export type Sample = { line: number; cells: string[] };

const shownRows = 3;
/** The fields of JSON lines are taken from this many rows. */
const rowsWithFields = 50;

/** Reads a file once, as a stream. The first sheet of a spreadsheet is read like CSV. */
export async function openSource(chosen: File, subject: Subject, signal: AbortSignal): Promise<Source> {
  const sheet = await readSpreadsheet(chosen);
  const file = sheet ?? chosen;
  await rejectOthers(file);
  const isCsv = sheet !== null || (await looksLikeCsv(file));
  const finder = openRowFinder(isCsv);
  let encoding: Source['encoding'] = 'utf-8';
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const isUtf8 = (bytes?: Uint8Array<ArrayBuffer>) => {
    try {
      utf8.decode(bytes, { stream: bytes !== undefined });
      return true;
    } catch {
      return false;
    }
  };
  for await (const bytes of chunksOf(file)) {
    signal.throwIfAborted();
    if (encoding === 'utf-8' && !isUtf8(bytes)) encoding = 'windows-1252';
    finder.push(bytes);
  }
  if (encoding === 'utf-8' && !isUtf8()) encoding = 'windows-1252';
  const { starts, lines, size } = finder.end();
  if (starts.length === 0) throw new UnusableFile('empty');
  const places = { starts: [...starts, size], lines };
  return isCsv ? csvSource({ file, encoding, subject }, places) : jsonSource(file, encoding, places);
}

async function readSpreadsheet(file: File): Promise<File | null> {
  const [first, second] = await bytesOf(file.slice(0, 2));
  if (first !== 0x50 || second !== 0x4b) return null;
  let sheet: File | null;
  try {
    sheet = await csvOfSpreadsheet(file);
  } catch {
    throw new UnusableFile('spreadsheet');
  }
  if (!sheet) throw new UnusableFile('empty');
  return sheet;
}

async function* chunksOf(file: File): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch {
    throw new UnusableFile('gone');
  } finally {
    reader.releaseLock();
  }
}

async function rejectOthers(file: File): Promise<void> {
  const head = await bytesOf(file.slice(0, 4096));
  const [first, second] = head;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    throw new UnusableFile('utf16');
  if (head.includes(0)) throw new UnusableFile('binary');
}

async function looksLikeCsv(file: File): Promise<boolean> {
  if (/\.(jsonl|ndjson|json)$/i.test(file.name)) return false;
  if (/\.csv$/i.test(file.name)) return true;
  const head = new TextDecoder().decode(await bytesOf(file.slice(0, 4096)));
  return !head.trimStart().startsWith('{');
}

/** A file that was changed or removed after it was chosen can no longer be read. */
export async function bytesOf(blob: Blob): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await blob.arrayBuffer());
  } catch {
    throw new UnusableFile('gone');
  }
}

type Rows = Pick<Source, 'file' | 'encoding' | 'starts'>;

/** The text of a range of rows. */
export async function textOf({ file, encoding, starts }: Rows, from: number, to: number): Promise<string[]> {
  const begin = starts[from] ?? 0;
  const bytes = await bytesOf(file.slice(begin, starts[to]));
  const decoder = new TextDecoder(encoding);
  return Array.from({ length: to - from }, (_, at) => {
    const [start, end] = [starts[from + at] ?? 0, starts[from + at + 1] ?? 0];
    // The row may be followed by empty lines and by rows of empty cells.
    return decoder.decode(bytes.subarray(start - begin, end - begin)).replace(/[\r\n][\s,;]*$/, '');
  });
}

type Found = { starts: number[]; lines: number[] };

type Csv = Pick<Source, 'file' | 'encoding'> & { subject: Subject };

async function csvSource({ file, encoding, subject }: Csv, found: Found): Promise<Source> {
  const heads = await textOf(
    { file, encoding, starts: found.starts },
    0,
    Math.max(1, Math.min(maxTitleRows + 1, found.lines.length - 1)),
  );
  const cellsOf = (text: string) => readCells(text, delimiterOf(text)) ?? [];
  const headerRow = headerRowOf(subject, heads.map(cellsOf));
  const header = heads[headerRow] ?? '';
  const delimiter = delimiterOf(header);
  const columns = readCells(header, delimiter)?.map((name) => name.trim());
  if (!columns || columns.every((name) => name === '')) throw new UnusableFile('header');
  const starts = found.starts.slice(headerRow + 1);
  const lines = found.lines.slice(headerRow + 1);
  if (lines.length === 0) {
    const isHeader = columns.some((column) => fieldFor(subject, column) !== null);
    throw new UnusableFile(isHeader ? 'empty' : 'header');
  }
  const texts = await textOf({ file, encoding, starts }, 0, Math.min(shownRows, lines.length));
  const samples = texts.map((text, at) => ({
    line: lines[at] ?? 0,
    cells: readCells(text, delimiter) ?? [text],
  }));
  const headerLine = headerRow > 0 ? (found.lines[headerRow] ?? null) : null;
  return {
    file,
    encoding,
    csv: { delimiter },
    columns,
    headerLine,
    rows: lines.length,
    starts,
    lines,
    samples,
  };
}

async function jsonSource(file: File, encoding: Source['encoding'], found: Found): Promise<Source> {
  const { starts, lines } = found;
  const texts = await textOf({ file, encoding, starts }, 0, Math.min(rowsWithFields, lines.length));
  const objects = texts.map(readObject);
  const columns = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  const samples = objects.slice(0, shownRows).map((object, at) => ({
    line: lines[at] ?? 0,
    cells: columns.map((name) => shown(object[name])),
  }));
  return {
    ...{ file, encoding, csv: null, columns, headerLine: null },
    ...{ rows: lines.length, starts, lines, samples },
  };
}

function readObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
