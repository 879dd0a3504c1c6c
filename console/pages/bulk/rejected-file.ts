import { csvRow } from '../../parts/csv.ts';
import type { RejectedRow } from './outcome.ts';
import type { Source } from './source.ts';

/** The rejected rows, unchanged, each with its reason. */
export function rejectedRows(
  { columns, cells }: Source,
  refused: readonly RejectedRow[],
  reason: (code: string) => string,
  advice: (row: RejectedRow) => string,
): string[] {
  // The cells are left unchanged, because a program may read the file again.
  const write = (cells: readonly unknown[]) => csvRow(cells, { isRaw: true });
  return [
    write([...columns, 'Line', 'Field', 'Reason', 'Detail']),
    ...refused.map((one) =>
      write([...(cells[one.row] ?? []), one.line, one.field, reason(one.code), advice(one)]),
    ),
  ];
}
