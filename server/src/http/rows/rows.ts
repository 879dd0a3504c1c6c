import { setImmediate } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { fitsShape } from '../../../../standards/json-shape.ts';
import { Problem } from '../../lib/errors.ts';
import { hasPrototypeName, recordShape } from '../validation/validation.ts';

export type RowFormat = 'ndjson' | 'csv';
export const rowTypes: Record<RowFormat, string> = { ndjson: 'application/x-ndjson', csv: 'text/csv' };

/**
 * One row of the input, numbered from 1, not counting the header and empty lines. `trimmed` names the IDs from which
 * spaces were removed.
 */
export type SourceRow = { row: number; trimmed?: string[] } & ({ value: unknown } | { problem: Problem });

/** Maximum rows per chunk, which is processed with one statement. */
export const batchSize = 200;
const rowBytes = 64 * 1024;
/** A chunk is parsed without a pause, so a larger chunk would delay other callers. */
const batchCharacters = 256 * 1024;
/** Bytes of input that are split into rows at a time. They can contain 4,000 rows. */
const sliceBytes = 8 * 1024;
const maxColumns = 200;
/** A row may contain many commas, but parsing very many cells would delay other callers. */
const maxCommas = 10_000;

/** Reads NDJSON or CSV in constant memory. An unreadable row affects only itself. */
export async function* readRows(
  input: AsyncIterable<Buffer>,
  format: RowFormat,
  onHeader: (fields: string[]) => void = () => {},
  rawCells = false,
): AsyncGenerator<SourceRow[], void> {
  const split = openSplitter(format === 'csv');
  const readBatch = format === 'csv' ? csvReader(onHeader, rawCells) : readJson;
  let waiting: Cut[] = [];
  let number = 0;
  const take = (cuts: Cut[]) => readBatch(cuts).map((read) => ({ row: ++number, ...read }));
  for await (const chunk of input)
    for (let from = 0; from < chunk.length; from += sliceBytes) {
      waiting.push(...split.push(chunk.subarray(from, from + sliceBytes)));
      for (let rows = nextBatch(waiting); rows > 0; rows = nextBatch(waiting)) {
        yield take(waiting.splice(0, rows));
        // Nothing in this loop waits if all rows are rejected or blank, so the loop must yield here.
        await setImmediate();
      }
      await setImmediate();
    }
  waiting = [...waiting, ...split.end()];
  while (waiting.length > 0) yield take(waiting.splice(0, nextBatch(waiting) || waiting.length));
  // Without a header, the whole file is rejected.
  readBatch([]);
}

type Cut = string | Problem;
/** Number of rows in the next chunk; 0 if the chunk can still grow. */
function nextBatch(waiting: readonly Cut[]): number {
  let characters = 0;
  for (const [index, cut] of waiting.entries()) {
    characters += typeof cut === 'string' ? cut.length : 0;
    if (index > 0 && (index === batchSize || characters > batchCharacters)) return index;
  }
  return 0;
}

type Read = { value: unknown } | { problem: Problem };

/**
 * Splits bytes at line ends, which in CSV can also be the CR of old programs. Line ends within quotes belong to the row.
 * Bytes beyond a row's limit are dropped on arrival.
 */
function openSplitter(quotes: boolean) {
  let parts: Buffer[] = [];
  let bytes = 0;
  let quoted = false;
  const keep = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > rowBytes) parts = [];
    else if (piece.length > 0) parts.push(piece);
  };
  const take = (): Cut[] => {
    const cut = bytes > rowBytes ? tooLarge() : decode(Buffer.concat(parts));
    parts = [];
    bytes = 0;
    if (quotes && typeof cut === 'string' && cut.split(',', maxCommas + 2).length > maxCommas + 1)
      return [tooManyCommas()];
    return typeof cut === 'string' && cut.trim() === '' ? [] : [cut];
  };
  return {
    push(chunk: Buffer): Cut[] {
      const cuts: Cut[] = [];
      let from = 0;
      for (let at = 0; at < chunk.length; at++) {
        if (quotes && chunk[at] === 0x22) quoted = !quoted;
        else if ((chunk[at] === 0x0a || (quotes && chunk[at] === 0x0d)) && !quoted) {
          keep(chunk.subarray(from, at));
          cuts.push(...take());
          from = at + 1;
        }
      }
      keep(chunk.subarray(from));
      return cuts;
    },
    end: take,
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): Cut {
  try {
    return utf8.decode(bytes);
  } catch {
    return new Problem('malformed_request', 'The row is not UTF-8. Save the file as UTF-8.');
  }
}

function tooLarge(): Problem {
  return new Problem(
    'payload_too_large',
    'The row is larger than 64 kB. Shorten it. In CSV, check whether a closing quote is missing.',
  );
}

function tooManyCommas(): Problem {
  return new Problem('validation_failed', `The row has more than ${maxCommas} commas. Shorten it.`);
}

function readJson(cuts: Cut[]): Read[] {
  return cuts.map((cut) => {
    if (cut instanceof Problem) return { problem: cut };
    try {
      if (fitsShape(cut, recordShape)) return readValue(JSON.parse(cut));
      const detail = `The row has more than ${recordShape.values} values, or values nested more than ${recordShape.depth} levels deep.`;
      return { problem: new Problem('validation_failed', detail) };
    } catch {
      return {
        problem: new Problem('malformed_request', 'The row is not valid JSON. Send one object per line.'),
      };
    }
  });
}

/** As in request bodies, names that could change the prototype of all objects are rejected. */
function readValue(value: unknown): Read {
  if (!hasPrototypeName(value)) return { value };
  const detail = 'The row contains a field named __proto__ or constructor.prototype. Choose another name.';
  return { problem: new Problem('malformed_request', detail) };
}

/** A column `Metadata.colour` is a member of a field. */
type Column = { field: string; member: string | null };

function readHeader(names: string[]): Column[] {
  if (names.length > maxColumns)
    throw new Problem(
      'validation_failed',
      `The header has ${names.length} columns, but the maximum is ${maxColumns}.`,
    );
  if (new Set(names).size < names.length)
    throw new Problem('validation_failed', 'Two columns have the same name. Rename one of them.');
  const columns = names.map((name) => {
    const dot = name.indexOf('.');
    return dot < 0
      ? { field: name, member: null }
      : { field: name.slice(0, dot), member: name.slice(dot + 1) };
  });
  const whole = new Set(columns.filter(({ member }) => member === null).map(({ field }) => field));
  const both = columns.find(({ field, member }) => member !== null && whole.has(field));
  if (both) {
    const name = `${both.field}.${both.member}`.slice(0, 100);
    const detail = `The header has a column for a field and a column for its member ${name}. Remove one of them.`;
    throw new Problem('validation_failed', detail);
  }
  return columns;
}

function csvReader(onHeader: (fields: string[]) => void, rawCells: boolean): (cuts: Cut[]) => Read[] {
  let columns: Column[] | null = null;
  return (cuts) => {
    const records = readRecords(cuts);
    if (columns === null) {
      const header = records.shift();
      if (header instanceof Problem) throw header;
      columns = readHeader(header ?? []);
      onHeader(columns.map(({ field }) => field));
    }
    const named = columns;
    return records.map((record) => {
      if (record instanceof Problem) return { problem: record };
      if (record.length <= named.length)
        return readValue(toObject(named, rawCells ? record : record.map(unescaped)));
      const detail = `The row has ${record.length} cells, but the header has ${named.length}. Put cells that contain commas in quotes.`;
      return { problem: new Problem('malformed_request', detail) };
    });
  };
}

const options = { relax_column_count: true, skip_empty_lines: false } as const;

/** Parses all rows together; if one is not valid CSV, parses each separately. */
function readRecords(cuts: Cut[]): (string[] | Problem)[] {
  const texts = cuts.filter((cut) => typeof cut === 'string');
  try {
    const records: string[][] = parse(texts.join('\n'), options);
    if (records.length === texts.length)
      return cuts.map((cut) => (cut instanceof Problem ? cut : (records.shift() ?? [])));
  } catch {}
  return cuts.map((cut) => {
    if (cut instanceof Problem) return cut;
    try {
      const [record]: string[][] = parse(cut, options);
      return record ?? [];
    } catch {
      return new Problem(
        'malformed_request',
        'The row is not valid CSV. Put cells that contain quotes, commas or line breaks in quotes, and double the quotes inside.',
      );
    }
  });
}

/** An empty cell means that the field was not sent. */
function toObject(columns: readonly Column[], cells: readonly string[]): unknown {
  const texts = new Map<string, string>();
  const objects = new Map<string, Map<string, string>>();
  for (const [index, { field, member }] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (cell === '') continue;
    if (member === null) texts.set(field, cell);
    else objects.set(field, (objects.get(field) ?? new Map()).set(member, cell));
  }
  const members = [...objects].map(([field, entries]) => [field, Object.fromEntries(entries)] as const);
  return Object.fromEntries([...texts, ...members]);
}

/**
 * A formula can also follow characters that a spreadsheet skips or takes for the end of a row (OWASP, CSV
 * injection). Text that already looks escaped is escaped again, so that reading restores every text.
 */
const formula = /^'*(?:[\p{Cc}\u2028\u2029]*[=+\-@＝＋－＠]|[\t\r\n])/u;

const unescaped = (cell: string) =>
  cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell;

/** Characters that some parsers take for the end of a row. */
const quoted = /[\p{Cc}\u2028\u2029]/u;

export type RowWriter = (records: Record<string, unknown>[]) => string;

/**
 * Writes records as NDJSON or CSV. In CSV, a cell that a spreadsheet would interpret as a formula is prefixed with
 * an apostrophe, unless `rawCells` is set.
 */
export function rowWriter(
  format: RowFormat,
  columns: readonly string[],
  options: { rawCells?: boolean } = {},
): RowWriter {
  if (format === 'ndjson')
    return (records) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
  let header = true;
  const textCell = (text: string) => (!options.rawCells && formula.test(text) ? `'${text}` : text);
  return (records) => {
    const text = stringify(records, {
      columns: [...columns],
      header,
      record_delimiter: 'windows',
      quoted_match: quoted,
      cast: { boolean: String, object: (value) => JSON.stringify(value), string: textCell },
    });
    header = false;
    return text;
  };
}

/** Whether the cells of the client's CSV are as they were, as in an export with `formulas=raw`. */
export function readCsvType(contentType = ''): { rawCells: boolean } {
  return { rawCells: acceptedRows(contentType)?.rawCells ?? false };
}

/**
 * The format that the client accepts instead of JSON: CSV, NDJSON or null. `text/csv; formulas=raw` leaves cells
 * unchanged.
 */
export function acceptedRows(accept: string | undefined): { format: RowFormat; rawCells: boolean } | null {
  const types = (accept ?? '').toLowerCase().split(',');
  for (const type of types) {
    const [name = '', ...parameters] = type.split(';').map((part) => part.trim());
    if (name === rowTypes.csv) return { format: 'csv', rawCells: parameters.includes('formulas=raw') };
    if (name === rowTypes.ndjson) return { format: 'ndjson', rawCells: false };
  }
  return null;
}
