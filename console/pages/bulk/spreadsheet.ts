import { csvCells } from '../../parts/csv.ts';

/** Converts the first sheet with content to CSV. Row n becomes line n. Null if all sheets are empty. */
export async function csvOfSpreadsheet(file: File): Promise<File | null> {
  const { readXlsx } = await import('hucre/xlsx');
  const { sheets } = await readXlsx(await file.arrayBuffer());
  const rows = sheets.find(({ rows }) => rows.length > 0)?.rows;
  if (!rows) return null;
  const lines = rows.map((cells) => {
    const texts = cells.map(textOf);
    return texts.every((text) => text === '') ? '' : csvCells(texts, { isRaw: true });
  });
  return new File([lines.join('\n')], file.name, { lastModified: file.lastModified });
}

/** Formats dates as ISO 8601. Line breaks become spaces, so that row n of the sheet stays line n. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString().replace('T00:00:00.000Z', '');
  return String(value).replaceAll(/\s*[\r\n]+\s*/g, ' ');
}
