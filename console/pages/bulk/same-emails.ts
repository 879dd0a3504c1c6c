import type { Line } from './call.ts';
import { cleaned } from './checks.ts';
import type { RowChunk } from './chunks.ts';
import { readCells } from './csv-text.ts';
import { type Source, textOf } from './source.ts';
import type { Subject } from './subjects.ts';

/**
 * A row that is imported although another user has its address, on another line of the file or in the service, or although
 * a spreadsheet damaged its fields, which `value` names.
 */
export type Warning = {
  code: 'same_email_in_file' | 'same_email_user' | 'damaged';
  /** The row's number, starting at 0, and its line in the file. */
  row: number;
  line: number;
  loginId: string;
  other: string;
  /** Only for another line of the file. */
  otherLine: number | null;
  value: string | null;
};

type Input = { subject: Subject; fields: readonly (string | null)[] };

const rowsAtOnce = 2000;

const emailColumn = ({ subject, fields }: Input) => (subject === 'users' ? fields.indexOf('Email') : -1);

/** Finds the rows whose address belongs to another user on an earlier line. */
export async function findSameEmails(
  source: Source,
  input: Input,
  isLeftOut: (row: number) => boolean,
  signal: AbortSignal,
): Promise<Map<number, Warning>> {
  const found = new Map<number, Warning>();
  const { csv, lines, rows } = source;
  const [email, id] = [emailColumn(input), input.fields.indexOf('LoginID')];
  if (!csv || email < 0 || id < 0) return found;
  const known = new Map<string, { line: number; loginId: string }>();
  for (let from = 0; from < rows; from += rowsAtOnce) {
    signal.throwIfAborted();
    const texts = await textOf(source, from, Math.min(from + rowsAtOnce, rows));
    for (const [at, text] of texts.entries()) {
      const row = from + at;
      const cells = readCells(text, csv.delimiter);
      const [value, loginId] = [email, id].map((column) =>
        cleaned(cells?.[column] ?? '', input.fields[column] ?? null, null),
      ) as [string, string];
      if (value === '' || isLeftOut(row)) continue;
      const line = lines[row] ?? 0;
      const first = known.get(value.toLowerCase());
      if (first === undefined) known.set(value.toLowerCase(), { line, loginId });
      else if (first.loginId !== loginId)
        found.set(row, {
          ...{ code: 'same_email_in_file', row, line, loginId, value },
          ...{ otherLine: first.line, other: first.loginId },
        });
    }
  }
  return found;
}

/** The warnings about a chunk's rows that would be imported. The file's own warnings name a line, so they come first. */
export function warningsOf(
  planned: readonly Line[],
  { from }: Pick<RowChunk, 'from'>,
  ofFile: ReadonlyMap<number, Warning>,
  lineOf: (row: number) => number,
): Warning[] {
  return planned.flatMap(({ Status, LoginID = '', SameEmailLoginID: other, Damaged }, at): Warning[] => {
    const row = from + at;
    if (Status >= 300) return [];
    const own = ofFile.get(row);
    if (own) return [own];
    const place = { row, line: lineOf(row), loginId: LoginID };
    if (other === undefined)
      return Damaged === undefined
        ? []
        : [{ code: 'damaged', ...place, other: '', otherLine: null, value: Damaged.join(', ') }];
    return [{ code: 'same_email_user', ...place, other, otherLine: null, value: null }];
  });
}
