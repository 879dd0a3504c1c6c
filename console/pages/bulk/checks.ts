import { readCells } from './csv-text.ts';
import { type DateOrder, endOfDay } from './dates.ts';
import { type Source, textOf } from './source.ts';
import { hasCourses, type Subject, withoutCourseFields } from './subjects.ts';

/** Mistakes that the service does not detect, because it accepts such values or sees only part of the file. */
export type FindingCode =
  | 'repeated_in_file'
  | 'similar_in_file'
  /** Found by the plan, which compares the row with existing users. */
  | 'similar_user'
  | 'conflict_in_file'
  | 'invalid_email'
  | 'invalid_date'
  | 'ambiguous_date'
  | 'summary_row';

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
function trimmed(cell: string, field: string | null): string {
  if (field === 'Password') return cell;
  const text = cell.trim();
  return placeholder.test(text) ? '' : text;
}

/** The cell as it is sent. A date that cannot be read is left for the service to reject. */
export function cleaned(cell: string, field: string | null, order: DateOrder): string {
  const text = trimmed(cell, field);
  if (field !== 'ExpiresAt') return text;
  const end = endOfDay(text, order);
  return end === null || end === 'ambiguous' ? text : end;
}

/** Checks all rows of a CSV file. Returns the findings by row. */
export async function checkRows(
  source: Source,
  { subject, fields }: { subject: Subject; fields: readonly (string | null)[] },
  order: DateOrder,
  signal: AbortSignal,
): Promise<Findings> {
  const findings = new Map<number, Finding>();
  if (!source.csv) return findings;
  const check = openChecks(subject, fields, order);
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

/** The first row of a user, and where each course of the user was found. */
type Known = { line: number; id: string; values: Map<string, string>; courses: Map<string, number> };

function openChecks(subject: Subject, fields: readonly (string | null)[], order: DateOrder) {
  const known = new Map<string, Known>();
  const columnOf = (field: string) => fields.indexOf(field);
  const isBoth = hasCourses(subject, fields);
  // The user's own values. They must be the same in all rows of the user.
  const own = isBoth ? withoutCourseFields(fields).filter((field) => field !== null) : [];
  return (cells: readonly string[] | null, line: number): Finding | null => {
    const cell = (field: string) => trimmed(cells?.[columnOf(field)] ?? '', field);
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
    const course = subject === 'enrolments' || isBoth ? cell('CourseID') : '';
    const scope = subject === 'enrolments' ? course : '';
    const key = JSON.stringify([loginId.toLowerCase(), scope]);
    const user = known.get(key) ?? { line, id: loginId, values: new Map(), courses: new Map() };
    known.set(key, user);
    if (user.id !== loginId)
      return finding('similar_in_file', 'LoginID', `${loginId} / ${user.id}`, user.line);
    const repeated = user.courses.get(course);
    if (repeated !== undefined) return finding('repeated_in_file', 'LoginID', loginId, repeated);
    const conflict = own.find((field) => {
      const [value, first] = [cell(field), user.values.get(field) ?? ''];
      return value !== '' && first !== '' && value !== first;
    });
    if (conflict) return finding('conflict_in_file', conflict, cell(conflict), user.line);
    user.courses.set(course, line);
    for (const field of own) if (cell(field) !== '') user.values.set(field, cell(field));
    const address = cell('Email');
    if (address !== '' && !email.test(address)) return finding('invalid_email', 'Email', address);
    const date = cell('ExpiresAt');
    const end = date === '' ? '' : endOfDay(date, order);
    if (end === null) return finding('invalid_date', 'ExpiresAt', date);
    return end === 'ambiguous' ? finding('ambiguous_date', 'ExpiresAt', date) : null;
  };
}
