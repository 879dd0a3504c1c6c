import { csvRow } from '../../parts/csv.ts';
import { isPassing, type Line } from './call.ts';

/** The planned or actual result for a row. `differs` means that the user exists with other values, which are kept. */
export const kinds = ['created', 'exists', 'differs', 'refused'] as const;
export type Kind = (typeof kinds)[number];

export type Refused = {
  /** Starts at 0. */
  row: number;
  /** Line in the file. */
  line: number;
  kind: 'differs' | 'refused';
  loginId: string | null;
  courseId: string | null;
  code: string;
  /** The field named in the service's error. */
  field: string | null;
  detail: string;
};

export type Counts = Record<Kind, number>;

/** The results for one chunk of the file. */
export type PieceOutcome = {
  rows: number;
  counts: Counts;
  refused: Refused[];
  /** Rows that the service could not process for now. */
  passing: number;
  /** The results as CSV, kept out of the tab's memory. */
  results: Blob;
};

export const noCounts: Counts = { created: 0, exists: 0, differs: 0, refused: 0 };

function kindOf({ Status, code }: Line): Kind {
  if (Status === 201) return 'created';
  if (Status === 200) return 'exists';
  return code === 'user_exists' ? 'differs' : 'refused';
}

const ids = ['LoginID', 'CourseID', 'DurationID', 'EnrollID', 'LaunchURL'] as const;
const errorFields = ['code', 'param', 'detail'] as const;
export const resultColumns = ['Line', 'Result', 'Status', ...ids, ...errorFields];

/** The service's results for the rows starting at `from`. */
export function toOutcome(
  lines: readonly Line[],
  from: number,
  lineOf: (row: number) => number,
): PieceOutcome {
  const counts = { ...noCounts };
  const refused: Refused[] = [];
  const texts: string[] = [];
  for (const [at, line] of lines.entries()) {
    const row = from + at;
    const kind = kindOf(line);
    counts[kind]++;
    if (kind === 'differs' || kind === 'refused')
      refused.push({
        row,
        line: lineOf(row),
        kind,
        loginId: line.LoginID ?? null,
        courseId: line.CourseID ?? null,
        code: line.code ?? '',
        field: line.differs?.join(', ') ?? line.param ?? null,
        detail: line.detail ?? '',
      });
    const cells = [...ids, ...errorFields].map((name) => line[name]);
    texts.push(csvRow([lineOf(row), kind, line.Status, ...cells]));
  }
  const passing = lines.filter(isPassing).length;
  return { rows: lines.length, counts, refused, passing, results: new Blob([texts.join('')]) };
}

export type Sum = {
  rows: number;
  counts: typeof noCounts;
  refused: Refused[];
  passing: number;
  results: Blob[];
};

/** The totals of all finished chunks. */
export function sumOf(outcomes: readonly (PieceOutcome | undefined)[]): Sum {
  const sum: Sum = { rows: 0, counts: { ...noCounts }, refused: [], passing: 0, results: [] };
  for (const outcome of outcomes) {
    if (!outcome) continue;
    sum.rows += outcome.rows;
    for (const kind of kinds) sum.counts[kind] += outcome.counts[kind];
    for (const one of outcome.refused) sum.refused.push(one);
    sum.passing += outcome.passing;
    sum.results.push(outcome.results);
  }
  return sum;
}
