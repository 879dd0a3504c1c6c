import { csvRow } from '../../parts/csv.ts';
import { isTemporary, type Line } from './call.ts';
import type { Warning } from './same-emails.ts';

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
  /** The DurationIDs that can be chosen. */
  options: readonly string[];
};

export type Counts = Record<Kind, number>;

/** The outcome for a user, who may be in several rows. */
type UserOutcome = { loginId: string; kind: Kind; changed: readonly string[] };

/** For each field, the number of users whose value changes. */
export type ChangedFields = Record<string, number>;

/** The results for one chunk of the file. */
export type ChunkOutcome = {
  rows: number;
  counts: Counts;
  /** Set if rows can also enrol their users. These are then counted once, however many rows they have. */
  users: UserOutcome[] | null;
  enrolments: Counts;
  rejected: RejectedRow[];
  /** Only in plans. */
  warnings: readonly Warning[];
  changed: ChangedFields;
  /** The number of rows that failed temporarily, so that a retry may succeed. */
  temporary: number;
  /** The results as CSV. A browser can store a Blob outside the tab's memory. */
  results: Blob;
};

export const noCounts: Counts = { created: 0, updated: 0, exists: 0, differs: 0, refused: 0 };

function kindOf({ Status, Changed, code }: Pick<Line, 'Status' | 'Changed' | 'code'>): Kind {
  if (Status === 201) return 'created';
  if (Status === 200) return Changed?.length ? 'updated' : 'exists';
  return code === 'user_exists' ? 'differs' : 'refused';
}

const ids = ['LoginID', 'CourseID', 'DurationID', 'EnrollID'] as const;
const errorFields = ['code', 'param', 'detail'] as const;
const rowColumns = ['Line', 'Result', 'Status', ...ids, ...errorFields, 'Changed'];
export const resultColumns = (hasCourses: boolean) => [...rowColumns, ...(hasCourses ? ['Enrolment'] : [])];

const isRejection = (kind: Kind) => kind === 'differs' || kind === 'refused';

type Placed = { row: number; line: number };

/** The rejection of a row or, if its user was accepted, of its enrolment. */
function rejectionOf(line: Line, at: Placed): RejectedRow | null {
  const { LoginID, Enrolment } = line;
  const kind = kindOf(line);
  const failed = isRejection(kind) ? line : Enrolment && isRejection(kindOf(Enrolment)) ? Enrolment : null;
  if (!failed) return null;
  return {
    ...at,
    kind: kind === 'differs' ? 'differs' : 'refused',
    loginId: LoginID ?? null,
    courseId: failed.CourseID ?? null,
    code: failed.code ?? '',
    field: failed.differs?.join(', ') ?? failed.param ?? null,
    detail: failed.detail ?? '',
    options: failed.AvailableEnrolOptions?.map(({ DurationID }) => DurationID) ?? [],
  };
}

/** The service's results for the rows starting at `from`. `hasCourses` is set for users with enrolments. */
export function toOutcome(
  lines: readonly Line[],
  from: number,
  lineOf: (row: number) => number,
  hasCourses: boolean,
  warnings: readonly Warning[] = [],
): ChunkOutcome {
  const counts = { ...noCounts };
  const enrolments = { ...noCounts };
  const users: UserOutcome[] = [];
  const rejected: RejectedRow[] = [];
  const changed: ChangedFields = {};
  const texts: string[] = [];
  for (const [at, line] of lines.entries()) {
    const row = from + at;
    const kind = kindOf(line);
    const { LoginID, Enrolment, Changed = [] } = line;
    if (hasCourses && LoginID !== undefined) users.push({ loginId: LoginID, kind, changed: Changed });
    else {
      counts[kind]++;
      for (const field of Changed) changed[field] = (changed[field] ?? 0) + 1;
    }
    if (Enrolment) enrolments[kindOf(Enrolment)]++;
    const rejection = rejectionOf(line, { row, line: lineOf(row) });
    if (rejection) rejected.push(rejection);
    const cells = [...ids, ...errorFields].map((name) => line[name] ?? Enrolment?.[name]);
    const enrolment = hasCourses ? [Enrolment ? kindOf(Enrolment) : ''] : [];
    texts.push(csvRow([lineOf(row), kind, line.Status, ...cells, line.Changed?.join(', '), ...enrolment]));
  }
  const temporary = lines.filter(isTemporary).length;
  return {
    rows: lines.length,
    ...{ counts, enrolments, users: hasCourses ? users : null },
    rejected,
    warnings,
    changed,
    temporary,
    results: new Blob([texts.join('')]),
  };
}

export type Sum = {
  rows: number;
  counts: Counts;
  enrolments: Counts;
  rejected: RejectedRow[];
  warnings: Warning[];
  changed: ChangedFields;
  temporary: number;
  results: Blob[];
};

/** The totals of all finished chunks. */
export function sumOf(outcomes: readonly (ChunkOutcome | undefined)[]): Sum {
  const sum: Sum = {
    rows: 0,
    ...{ counts: { ...noCounts }, enrolments: { ...noCounts } },
    ...{ rejected: [], warnings: [], changed: {}, temporary: 0, results: [] },
  };
  const users = new Map<string, UserOutcome>();
  for (const outcome of outcomes) {
    if (!outcome) continue;
    sum.rows += outcome.rows;
    for (const kind of kinds) {
      sum.counts[kind] += outcome.counts[kind];
      sum.enrolments[kind] += outcome.enrolments[kind];
    }
    for (const user of outcome.users ?? []) {
      const known = users.get(user.loginId);
      // `kinds` begins with the outcome that changes most.
      if (!known || kinds.indexOf(user.kind) < kinds.indexOf(known.kind)) users.set(user.loginId, user);
    }
    for (const one of outcome.rejected) sum.rejected.push(one);
    for (const one of outcome.warnings) sum.warnings.push(one);
    addChanged(sum.changed, outcome.changed);
    sum.temporary += outcome.temporary;
    sum.results.push(outcome.results);
  }
  for (const { kind, changed } of users.values()) {
    sum.counts[kind]++;
    if (kind === 'updated') addChanged(sum.changed, Object.fromEntries(changed.map((field) => [field, 1])));
  }
  return sum;
}

function addChanged(sum: ChangedFields, changed: ChangedFields): void {
  for (const [field, count] of Object.entries(changed)) sum[field] = (sum[field] ?? 0) + count;
}
