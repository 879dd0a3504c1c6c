/** A spreadsheet would take these for formulas (OWASP, CSV injection). */
const formula = /^[=+\-@\t\r]/;

function csvCell(value: unknown, isRaw: boolean): string {
  const text = value === null || value === undefined ? '' : String(value);
  const safe = !isRaw && formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One row of CSV without a line end. `isRaw`: for programs, which take every cell as it is. */
export function csvCells(cells: readonly unknown[], { isRaw = false } = {}): string {
  return cells.map((cell) => csvCell(cell, isRaw)).join(',');
}

/** A line of a CSV file. */
export function csvRow(cells: readonly unknown[], options?: { isRaw: boolean }): string {
  return `${csvCells(cells, options)}\r\n`;
}

/** A file that spreadsheets read as UTF-8. */
export function csvFile(parts: readonly BlobPart[]): Blob {
  return new Blob(['\uFEFF', ...parts], { type: 'text/csv;charset=utf-8' });
}
