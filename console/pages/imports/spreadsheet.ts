import type { Cell, CellValue, Sheet } from 'hucre/xlsx';
import { csvCells } from '../../parts/csv.ts';

/** Converts the first visible sheet with content to CSV. Row n becomes line n. */
export async function csvOfSpreadsheet(file: File): Promise<Blob> {
  const { readXlsx } = await import('hucre/xlsx');
  const { sheets } = await readXlsx(await file.arrayBuffer(), {
    sheets: ({ hidden, veryHidden }: { hidden?: boolean; veryHidden?: boolean }) => !hidden && !veryHidden,
    readStyles: true,
  });
  const sheet = sheets.find(({ rows }) => rows.length > 0);
  return new Blob([sheet ? linesOf(sheet).join('\n') : '']);
}

function linesOf({ rows, cells, merges = [] }: Sheet): string[] {
  const texts = rows.map((row, at) =>
    row.map((value, column) => textOf(value, cells?.get(`${at},${column}`))),
  );
  // A merged cell holds for all of its rows.
  for (const { startRow, endRow, startCol } of merges)
    for (let row = startRow + 1; row <= endRow; row++) {
      const line = texts[row];
      if (!line?.some((text) => text !== '')) continue;
      while (line.length <= startCol) line.push('');
      line[startCol] ||= texts[startRow]?.[startCol] ?? '';
    }
  return texts.map((line) => (line.every((text) => text === '') ? '' : csvCells(line, { isRaw: true })));
}

/** The cell as people see it: days without a time, and numbers with their leading zeros. */
function textOf(value: CellValue, cell: Cell | undefined): string {
  if (value === null) return '';
  if (value instanceof Date) return value.toISOString().replace('T00:00:00.000Z', '').replace('Z', '');
  const zeros = /^0+$/.exec(cell?.style?.numFmt ?? '')?.[0];
  if (typeof value === 'number' && zeros) return String(value).padStart(zeros.length, '0');
  // Line breaks become spaces, so that row n of the sheet stays line n.
  return String(value).replaceAll(/\s*[\r\n]+\s*/g, ' ');
}
