export const delimiters = [',', ';', '\t'] as const;
export type Delimiter = (typeof delimiters)[number];

/** The cells of one row; null if its quotes are invalid. */
export function readCells(row: string, delimiter: Delimiter): string[] | null {
  const cells: string[] = [];
  for (let at = 0; at <= row.length; ) {
    const read = row[at] === '"' ? quotedAt(row, at) : plainAt(row, at, delimiter);
    if (!read || (read.end < row.length && row[read.end] !== delimiter)) return null;
    cells.push(read.cell);
    at = read.end + 1;
  }
  return cells;
}

type Read = { cell: string; end: number } | null;

function plainAt(row: string, at: number, delimiter: Delimiter): Read {
  const next = row.indexOf(delimiter, at);
  const end = next < 0 ? row.length : next;
  const cell = row.slice(at, end);
  return cell.includes('"') ? null : { cell, end };
}

function quotedAt(row: string, at: number): Read {
  for (let end = row.indexOf('"', at + 1); end >= 0; end = row.indexOf('"', end + 2))
    if (row[end + 1] !== '"') return { cell: row.slice(at + 1, end).replaceAll('""', '"'), end: end + 1 };
  return null;
}

/** The delimiter that splits the header into the most cells. */
export function delimiterOf(header: string): Delimiter {
  const counted = delimiters.map((delimiter) => ({
    delimiter,
    count: readCells(header, delimiter)?.length ?? 0,
  }));
  return counted.reduce((best, one) => (one.count > best.count ? one : best)).delimiter;
}
