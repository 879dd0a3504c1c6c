import { csvRow } from '../../parts/csv.ts';
import { isTemporary, type Line } from './call.ts';

/** The planned or actual result for a row. */
export const kinds = ['created', 'updated', 'exists', 'refused'] as const;
export type Kind = (typeof kinds)[number];

export type RejectedRow = {
  /** The row's number, starting at 0. */
  row: number;
  /** The row's line in the file. */
  line: number;
  loginId: string | null;
  courseId: string | null;
  code: string;
  /** The field named in the service's error. */
  field: string | null;
  detail: string;
  /** The DurationIDs that can be chosen. */
  options: readonly string[];
};

export type Counts = Record<Kind, number>;

/** The results for one chunk. */
export type ChunkOutcome = {
  rows: number;
  counts: Counts;
  rejected: RejectedRow[];
  /** The number of rows that failed temporarily, so that a retry may succeed. */
  temporary: number;
  /** The results as CSV. A browser can store a Blob outside the tab's memory. */
  results: Blob;
};

export const noCounts: Counts = { created: 0, updated: 0, exists: 0, refused: 0 };

function kindOf({ Status, Changed }: Pick<Line, 'Status' | 'Changed'>): Kind {
  if (Status === 201) return 'created';
  if (Status === 200) return Changed?.length ? 'updated' : 'exists';
  return 'refused';
}

const ids = ['LoginID', 'CourseID', 'DurationID', 'EnrollID'] as const;
const errorFields = ['code', 'param', 'detail'] as const;
export const resultColumns = ['Line', 'Result', 'Status', ...ids, ...errorFields, 'Changed'];

function rejectionOf(line: Line, row: number): RejectedRow | null {
  if (kindOf(line) !== 'refused') return null;
  return {
    ...{ row, line: row + 1 },
    loginId: line.LoginID ?? null,
    courseId: line.CourseID ?? null,
    code: line.code ?? '',
    field: line.param ?? null,
    detail: line.detail ?? '',
    options: line.AvailableEnrolOptions?.map(({ DurationID }) => DurationID) ?? [],
  };
}

/** The service's results for the rows starting at `from`. */
export function toOutcome(lines: readonly Line[], from: number): ChunkOutcome {
  const counts = { ...noCounts };
  const rejected: RejectedRow[] = [];
  const texts: string[] = [];
  for (const [at, line] of lines.entries()) {
    const row = from + at;
    const kind = kindOf(line);
    counts[kind]++;
    const rejection = rejectionOf(line, row);
    if (rejection) rejected.push(rejection);
    const cells = [...ids, ...errorFields].map((name) => line[name]);
    texts.push(csvRow([row + 1, kind, line.Status, ...cells, line.Changed?.join(', ')]));
  }
  const temporary = lines.filter(isTemporary).length;
  return { rows: lines.length, counts, rejected, temporary, results: new Blob([texts.join('')]) };
}

export type Sum = {
  rows: number;
  counts: Counts;
  rejected: RejectedRow[];
  temporary: number;
  results: Blob[];
};

/** The totals of all finished chunks. */
export function sumOf(outcomes: readonly (ChunkOutcome | undefined)[]): Sum {
  const sum: Sum = { rows: 0, counts: { ...noCounts }, rejected: [], temporary: 0, results: [] };
  for (const outcome of outcomes) {
    if (!outcome) continue;
    sum.rows += outcome.rows;
    for (const kind of kinds) sum.counts[kind] += outcome.counts[kind];
    for (const one of outcome.rejected) sum.rejected.push(one);
    sum.temporary += outcome.temporary;
    sum.results.push(outcome.results);
  }
  return sum;
}
