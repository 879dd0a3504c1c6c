import { csvCells } from '../../parts/csv.ts';
import { cleaned } from './checks.ts';
import { readCells } from './csv-text.ts';
import type { DateOrder } from './dates.ts';
import { type AddedFields, withFields } from './existing.ts';
import { bytesOf, type Source, textOf } from './source.ts';

/** The rows of one call. They are few enough for a quick retry after a failure. */
export type RowChunk = { index: number; from: number; to: number };

const maxRowsPerCall = 2000;
/** Proxies in front of the service often accept no more than 1 MB. */
const maxBytes = 800_000;

export function rowChunksOf({ starts, rows }: Pick<Source, 'starts' | 'rows'>): RowChunk[] {
  const chunks: RowChunk[] = [];
  for (let from = 0; from < rows; ) {
    const begin = starts[from] ?? 0;
    let to = from + 1;
    while (to < rows && to - from < maxRowsPerCall && (starts[to + 1] ?? 0) - begin <= maxBytes) to++;
    chunks.push({ index: chunks.length, from, to });
    from = to;
  }
  return chunks;
}

/** Fields that are added to every row, and rows that are not sent. */
type Changes = { added?: AddedFields; isOmitted?: (row: number) => boolean; order?: DateOrder };

/** The chunk in the service's format. Only JSON lines in UTF-8 without added fields are sent unchanged. */
export async function bodyOf(
  source: Source,
  fields: readonly (string | null)[],
  { from, to }: RowChunk,
  { added = {}, isOmitted = () => false, order = null }: Changes = {},
): Promise<BodyInit> {
  const { file, csv, starts, encoding } = source;
  const names = Object.keys(added);
  if (csv === null && encoding === 'utf-8' && names.length === 0)
    return bytesOf(file.slice(starts[from], starts[to]));
  const texts = await textOf(source, from, to);
  if (csv === null) return texts.map((text) => withFields(text, added)).join('\n');
  const header = csvCells([...names, ...fields.filter((field) => field !== null)], { isRaw: true });
  const first = Object.values(added)
    .map((value) => `${value},`)
    .join('');
  const sent = texts.filter((_, at) => !isOmitted(from + at));
  const rows = sent.map((text) => first + rewritten(readCells(text, csv.delimiter), fields, order));
  return [header, ...rows].join('\n');
}

/** Deliberately invalid CSV, so that the service rejects it as it would reject the original row. */
const invalidCsv = '""?""';

/** Keeps only the imported columns. Surplus cells are kept too, so that the service rejects the row. */
function rewritten(
  cells: readonly string[] | null,
  fields: readonly (string | null)[],
  order: DateOrder,
): string {
  if (cells === null) return invalidCsv;
  const kept = fields.flatMap((field, at) =>
    field === null ? [] : [cleaned(cells[at] ?? '', field, order)],
  );
  const row = csvCells([...kept, ...cells.slice(fields.length)], { isRaw: true });
  // The service would skip an empty line.
  return row.trim() === '' ? '""' : row;
}
