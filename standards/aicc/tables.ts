import { parse } from 'csv-parse/sync';

export type Row = { line: number; cells: string[] };
/** `positions` has the index of the first column with each name. */
export type Table = { columns: string[]; positions: ReadonlyMap<string, number>; rows: Row[] };

/** The message says why a table cannot be read. */
export class TableError extends Error {
  readonly line: number | null;

  constructor(why: string, line: number | null) {
    super(why);
    this.line = line;
  }
}

/**
 * Reads a table with a header row. Column names may be in any case and order. Missing and additional cells
 * are tolerated.
 */
export function readTable(text: string, maxColumns: number): Table {
  // For each row, the parser allocates as many cells as there are in the header, so the header is checked first.
  const [first] = rowsOf(text, { to: 1 });
  if (first && first.cells.length > maxColumns)
    throw new TableError(`there are more than ${maxColumns} columns`, first.line);
  const [header, ...rows] = rowsOf(text);
  const columns = header?.cells.map((name) => name.toLowerCase()) ?? [];
  const positions = new Map(columns.map((name, at) => [name, at] as const).reverse());
  return { columns, positions, rows };
}

/** The widest table in HACP has 13 columns. */
const maxColumnsOfRequests = 50;

/** Parsing a table blocks other requests: 9,900 short rows took 0.5 s of CPU time (2026-11-25). */
const maxCharacters = 262_144;
const maxLines = 1_000;

/** Parses the table of a request. Returns null if the text is not a table or is too long. */
export function parseTable(text: string): Table | null {
  if (text.length > maxCharacters || text.split(/\r\n|\r|\n/, maxLines + 1).length > maxLines) return null;
  try {
    return readTable(text, maxColumnsOfRequests);
  } catch {
    return null;
  }
}

function rowsOf(text: string, only: { to?: number } = {}): Row[] {
  try {
    const options = { info: true, trim: true, relax_quotes: true, relax_column_count: true } as const;
    const skip = { skip_empty_lines: true, skip_records_with_empty_values: true } as const;
    // The cast is safe: with `info` and without `columns`, records are lists of texts.
    const parsed = parse(text, { ...options, ...skip, ...only }) as unknown as {
      info: { lines: number };
      record: string[];
    }[];
    return parsed.map(({ info, record }) => ({ line: info.lines, cells: record }));
  } catch (error) {
    const why = 'a quotation mark is missing or in the wrong place';
    throw new TableError(why, (error as { lines?: number }).lines ?? null);
  }
}

/** Returns the first cell in these columns that is not empty. */
export function cellOf({ positions }: Table, { cells }: Row, ...names: string[]): string {
  const found = names.map((name) => cells[positions.get(name) ?? -1]?.trim() ?? '');
  return found.find((cell) => cell !== '') ?? '';
}
