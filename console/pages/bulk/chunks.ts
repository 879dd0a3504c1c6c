import { csvRow } from '../../parts/csv.ts';
import type { Source } from './source.ts';

/** The rows of one call. They are few enough for a quick retry after a failure. */
export type RowChunk = { index: number; from: number; to: number };

/** Proxies in front of the service often accept no more than 1 MB. */
const maxRowsPerCall = 2000;

export function rowChunksOf({ cells }: Source): RowChunk[] {
  const chunks: RowChunk[] = [];
  for (let from = 0; from < cells.length; from += maxRowsPerCall)
    chunks.push({ index: chunks.length, from, to: Math.min(from + maxRowsPerCall, cells.length) });
  return chunks;
}

/** The chunk as CSV. */
export const bodyOf = ({ columns, cells }: Source, { from, to }: RowChunk): string =>
  [columns, ...cells.slice(from, to)].map((row) => csvRow(row, { isRaw: true })).join('');
