/** Characters that start a formula in a spreadsheet (OWASP, CSV injection), as in the service. */
const formula = /^'*(?:[\p{Cc}\u2028\u2029]*[=+\-@＝＋－＠]|[\t\r\n])/u;
/** Characters that require quotes, including line breaks that some parsers accept in addition to those in RFC 4180. */
const quoted = /[",\p{Cc}\u2028\u2029]/u;

function csvCell(value: unknown, isRaw: boolean): string {
  const text = value === null || value === undefined ? '' : String(value);
  const safe = !isRaw && formula.test(text) ? `'${text}` : text;
  return quoted.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One row of CSV without a line break. Set `isRaw` for programs, because they do not evaluate formulas. */
export function csvCells(cells: readonly unknown[], { isRaw = false } = {}): string {
  return cells.map((cell) => csvCell(cell, isRaw)).join(',');
}

/** One row of a CSV file, with its line break. */
export function csvRow(cells: readonly unknown[], options?: { isRaw: boolean }): string {
  return `${csvCells(cells, options)}\r\n`;
}

/** A file that spreadsheets read as UTF-8. */
export function csvFile(parts: readonly BlobPart[]): Blob {
  return new Blob(['\uFEFF', ...parts], { type: 'text/csv;charset=utf-8' });
}
