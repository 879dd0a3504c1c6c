import { csvRow } from '../../parts/csv.ts';
import { isTemporary, type Line } from './call.ts';

/** The planned or actual result for a row. `differs` means that the user exists with other values, which are kept. */
export const kinds = ['created', 'updated', 'exists', 'differs', 'refused'] as const;
export type Kind = (typeof kinds)[number];

export type RejectedRow = {
  /** The row's number, starting at 0. */
  row: number;
  /** The row's line in the file. */
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

/** For each field, the number of users whose value changes. */
export type ChangedFields = Record<string, number>;

/** The results for one chunk of the file. */
export type ChunkOutcome = {
  rows: number;
  counts: Counts;
  rejected: RejectedRow[];
  changed: ChangedFields;
  /** The number of rows that failed temporarily, so that a retry may succeed. */
  temporary: number;
  /** The results as CSV. A browser can store a Blob outside the tab's memory. */
  results: Blob;
};

export const noCounts: Counts = { created: 0, updated: 0, exists: 0, differs: 0, refused: 0 };

function kindOf({ Status, Changed, code }: Line): Kind {
  if (Status === 201) return 'created';
  if (Status === 200) return Changed?.length ? 'updated' : 'exists';
  return code === 'user_exists' ? 'differs' : 'refused';
}

const ids = ['LoginID', 'CourseID', 'DurationID', 'EnrollID', 'LaunchURL'] as const;
const errorFields = ['code', 'param', 'detail'] as const;
export const resultColumns = ['Line', 'Result', 'Status', ...ids, ...errorFields, 'Changed'];

/** The service's results for the rows starting at `from`. */
export function toOutcome(
  lines: readonly Line[],
  from: number,
  lineOf: (row: number) => number,
): ChunkOutcome {
  const counts = { ...noCounts };
  const rejected: RejectedRow[] = [];
  const changed: ChangedFields = {};
  const texts: string[] = [];
  for (const [at, line] of lines.entries()) {
    const row = from + at;
    const kind = kindOf(line);
    counts[kind]++;
    if (kind === 'differs' || kind === 'refused')
      rejected.push({
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
    for (const field of line.Changed ?? []) changed[field] = (changed[field] ?? 0) + 1;
    texts.push(csvRow([lineOf(row), kind, line.Status, ...cells, line.Changed?.join(', ')]));
  }
  const temporary = lines.filter(isTemporary).length;
  return {
    rows: lines.length,
    counts,
    rejected,
    changed,
    temporary,
    results: new Blob([texts.join('')]),
  };
}

export type Sum = {
  rows: number;
  counts: typeof noCounts;
  rejected: RejectedRow[];
  changed: ChangedFields;
  temporary: number;
  results: Blob[];
};

/** The totals of all finished chunks. */
export function sumOf(outcomes: readonly (ChunkOutcome | undefined)[]): Sum {
  const sum: Sum = { rows: 0, counts: { ...noCounts }, rejected: [], changed: {}, temporary: 0, results: [] };
  for (const outcome of outcomes) {
    if (!outcome) continue;
    sum.rows += outcome.rows;
    for (const kind of kinds) sum.counts[kind] += outcome.counts[kind];
    for (const one of outcome.rejected) sum.rejected.push(one);
    for (const [field, count] of Object.entries(outcome.changed))
      sum.changed[field] = (sum.changed[field] ?? 0) + count;
    sum.temporary += outcome.temporary;
    sum.results.push(outcome.results);
  }
  return sum;
}
