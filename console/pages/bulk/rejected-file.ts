import { csvRow } from '../../parts/csv.ts';
import { readCells } from './csv-text.ts';
import type { RejectedRow } from './outcome.ts';
import { type Source, textOf } from './source.ts';

/** Columns added after the file's own. They are ignored on import and need not be removed. */
const added = ['Line', 'Field', 'Reason', 'Detail'];

/** Rows read at a time. */
const maxRows = 2000;

/**
 * The rejected rows, unchanged, each with its reason. The user can correct this file and import it again.
 */
export async function rejectedRows(
  source: Source,
  refused: readonly RejectedRow[],
  reason: (code: string) => string,
  advice: (row: RejectedRow) => string,
): Promise<string[]> {
  const { csv, columns } = source;
  // The cells are left unchanged, because this page or a program may read the file again.
  const write = (cells: readonly unknown[]) => csvRow(cells, { isRaw: true });
  const rows = [write([...(csv ? columns : ['Row']), ...added])];
  let texts: string[] = [];
  let first = 0;
  for (const one of refused) {
    const { row, line, field, code } = one;
    if (row >= first + texts.length) {
      first = row;
      texts = await textOf(source, first, Math.min(first + maxRows, source.rows));
    }
    const text = texts[row - first] ?? '';
    const cells = csv ? (readCells(text, csv.delimiter) ?? [text]) : [text];
    const own = Array.from({ length: csv ? columns.length : 1 }, (_, at) => cells[at] ?? '');
    rows.push(write([...own, line, field, reason(code), advice(one)]));
  }
  return rows;
}
