import { readCells } from './csv-text.ts';
import { type Source, textOf } from './source.ts';
import type { Subject } from './subjects.ts';

/** Mistakes that the service does not detect, because it accepts such values or sees only part of the file. */
export type FindingCode = 'repeated_in_file' | 'similar_in_file' | 'invalid_email' | 'summary_row';

/** A row that is not sent. `otherLine` is the line with the same or a similar ID. */
export type Finding = {
  code: FindingCode;
  field: string | null;
  value: string;
  loginId: string | null;
  otherLine: number | null;
};

export type Findings = ReadonlyMap<number, Finding>;

const rowsAtOnce = 2000;

/** Not as strict as RFC 5321: one address, with a domain. */
const email = /^[^\s@,;<>"()]+@[^\s@,;<>"().]+(\.[^\s@,;<>"().]+)+$/;

/** A spreadsheet's sums and counts, in the console's languages. */
const summary = /^(grand total|sub-?total|total|sum|count|gesamt|summe|anzahl|somme|nombre|effectif)\b/i;

/** Text that people and spreadsheets write into a cell that has no value. */
const placeholder = /^(n\/a|#n\/a|#nv|#ref!|#value!|#wert!|-+|–|—)$/i;

/** The cell without surrounding spaces, or an empty string if the cell contains only a placeholder. */
export function cleaned(cell: string, field: string | null): string {
  if (field === 'Password') return cell;
  const text = cell.trim();
  return placeholder.test(text) ? '' : text;
}

/** Checks all rows of a CSV file. Returns the findings by row. */
export async function checkRows(
  source: Source,
  { subject, fields }: { subject: Subject; fields: readonly (string | null)[] },
  signal: AbortSignal,
): Promise<Findings> {
  const findings = new Map<number, Finding>();
  if (!source.csv) return findings;
  const check = openChecks(subject, fields);
  for (let from = 0; from < source.rows; from += rowsAtOnce) {
    signal.throwIfAborted();
    const texts = await textOf(source, from, Math.min(from + rowsAtOnce, source.rows));
    for (const [at, text] of texts.entries()) {
      const finding = check(readCells(text, source.csv.delimiter), source.lines[from + at] ?? 0);
      if (finding) findings.set(from + at, finding);
    }
  }
  return findings;
}

function openChecks(subject: Subject, fields: readonly (string | null)[]) {
  const known = new Map<string, { line: number; id: string }>();
  const columnOf = (field: string) => fields.indexOf(field);
  return (cells: readonly string[] | null, line: number): Finding | null => {
    const cell = (field: string) => cleaned(cells?.[columnOf(field)] ?? '', field);
    const loginId = cell('LoginID');
    if (!cells || loginId === '') return null;
    const finding = (
      code: FindingCode,
      field: string | null,
      value: string,
      otherLine: number | null = null,
    ) => ({
      ...{ code, field, value, otherLine },
      loginId,
    });
    const filled = cells.filter((cell) => cell.trim() !== '').length;
    if (summary.test(loginId) && filled <= 2 && fields.length > 2)
      return finding('summary_row', 'LoginID', loginId);
    const course = subject === 'enrolments' ? cell('CourseID') : '';
    const key = JSON.stringify([loginId.toLowerCase(), course]);
    const other = known.get(key);
    if (other?.id === loginId) return finding('repeated_in_file', 'LoginID', loginId, other.line);
    if (other) return finding('similar_in_file', 'LoginID', `${loginId} / ${other.id}`, other.line);
    known.set(key, { line, id: loginId });
    const address = cell('Email');
    if (address !== '' && !email.test(address)) return finding('invalid_email', 'Email', address);
    return null;
  };
}
