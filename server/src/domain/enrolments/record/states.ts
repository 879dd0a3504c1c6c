import type { Selectable } from 'kysely';
import { traits } from '../../../../../standards/traits.ts';
import type { Evidence, Standard } from '../../../../../standards/types.ts';
import type { EnrolmentTable } from '../../../db/engine/generated.ts';
import { namesOf } from '../../../lib/tables.ts';
import { coolDownMilliseconds, rulesOf } from '../../catalogue/attempt-rules.ts';
import type { EventType } from '../../events/types.ts';

type EnrolmentRow = Selectable<EnrolmentTable>;

/** The current attempt, and the earlier result that counts. */
export type AttemptState = {
  /** Number of attempts since the last reset, including this one. */
  Used: number;
  Result: Evidence;
  FinishedAt: string | null;
  /** The result that counts among the earlier finished attempts; null if there are none. */
  Earlier: Evidence | null;
  EarlierSeconds: number;
};

type AttemptColumns = Pick<EnrolmentRow, 'attempt_rules' | 'attempt_state'>;
type ResultColumns = Pick<EnrolmentRow, 'completion' | 'success' | 'score' | 'progress' | 'total_seconds'>;

export function resultIn(row: ResultColumns): Evidence {
  return {
    ...{ Completion: row.completion, Success: row.success, Score: row.score },
    ...{ Progress: row.progress, TotalSeconds: row.total_seconds },
  };
}

export function columnsOf({ Completion, Success, Score, Progress, TotalSeconds }: Evidence): ResultColumns {
  return {
    ...{ completion: Completion, success: Success, score: Score },
    ...{ progress: Progress, total_seconds: TotalSeconds },
  };
}

/** The cast is safe: the column is written only from an `AttemptState`. */
export function stateOf(row: AttemptColumns & ResultColumns): AttemptState {
  const stored = row.attempt_state as AttemptState | null;
  return stored ?? { Used: 1, Result: resultIn(row), FinishedAt: null, Earlier: null, EarlierSeconds: 0 };
}

/**
 * Whether an attempt is completed, passed or failed. SCORM 2004 reports completion separately. In that
 * standard, an incomplete attempt is never finished, because content may write `failed` before the first
 * question.
 */
export function isFinished({ Completion, Success }: Evidence, standard: Standard): boolean {
  const isOpen = Completion === 'incomplete' && traits[standard].isSequenced;
  return Completion === 'completed' || (Success !== 'unknown' && !isOpen);
}

/**
 * Returns the time at which an attempt ended, which may be the current time. Returns null if the attempt is
 * not finished. A cmi5 registration never ends.
 */
export function finishedAt(
  before: Date | null,
  result: Evidence,
  { standard, now }: { standard: Standard; now: Date },
): Date | null {
  if (!traits[standard].hasAttempts) return null;
  return before ?? (isFinished(result, standard) ? now : null);
}

const quality = ({ Success, Score, Completion }: Evidence) => [
  ['failed', 'unknown', 'passed'].indexOf(Success),
  Score ?? -1,
  Completion === 'completed' ? 1 : 0,
];

/**
 * Returns the result that counts, given an earlier and a later finished attempt. If both are equally good,
 * the earlier one counts.
 */
export function countingAttempt(earlier: Evidence | null, later: Evidence, rules: unknown): Evidence {
  const counts = rulesOf(rules)?.Counts ?? 'best';
  if (earlier === null) return later;
  if (counts !== 'best') return counts === 'last' ? later : earlier;
  const [old, next] = [quality(earlier), quality(later)];
  const at = old.findIndex((value, index) => value !== next[index]);
  return at >= 0 && (next[at] ?? 0) > (old[at] ?? 0) ? later : earlier;
}

/**
 * The enrolment's result: that of its finished attempts or, if no attempt is finished yet, that of the
 * current attempt.
 */
export function resultOfAttempts(rules: unknown, state: AttemptState): Evidence {
  const { Result, FinishedAt, Earlier, EarlierSeconds } = state;
  const counting = Earlier && FinishedAt === null ? Earlier : countingAttempt(Earlier, Result, rules);
  return { ...counting, TotalSeconds: EarlierSeconds + Result.TotalSeconds };
}

export type PlayedAttempt = { result: Evidence; isFinished: boolean };

/**
 * Returns the parts of the state that depend on earlier attempts. The attempts since the last reset
 * are given oldest first.
 */
export function earlierParts(
  rules: unknown,
  attempts: readonly PlayedAttempt[],
): Pick<AttemptState, 'Earlier' | 'EarlierSeconds'> {
  const finished = attempts.filter((attempt) => attempt.isFinished).map(({ result }) => result);
  const [first = null, ...others] = finished;
  return {
    Earlier: others.reduce((earlier, later) => countingAttempt(earlier, later, rules), first),
    EarlierSeconds: attempts.reduce((sum, { result }) => sum + result.TotalSeconds, 0),
  };
}

/**
 * Returns the state with a new result for the current attempt. Returns null if the enrolment's
 * columns already contain it.
 */
export function stateWith(
  row: AttemptColumns & ResultColumns,
  Result: Evidence,
  at: { standard: Standard; now: Date },
): AttemptState | null {
  if (row.attempt_rules === null && row.attempt_state === null) return null;
  const state = stateOf(row);
  const before = state.FinishedAt === null ? null : new Date(state.FinishedAt);
  return { ...state, Result, FinishedAt: finishedAt(before, Result, at)?.toISOString() ?? null };
}

/** Whether the next launch starts another attempt, if the rules allow it. */
export function startsAnother(row: AttemptColumns & ResultColumns & Pick<EnrolmentRow, 'override'>): boolean {
  const rules = rulesOf(row.attempt_rules);
  const state = stateOf(row);
  if (rules === null || state.FinishedAt === null) return false;
  return (
    rules.After === 'finished' ||
    (state.Result.Success === 'failed' && countingResult(row).Success !== 'passed')
  );
}

/** SQL: like `startsAnother`, but may be null instead of false. */
export function startsAnotherSql(alias: string): string {
  const passed = `coalesce(${alias}.override ->> 'Success', ${alias}.success) = 'passed'`;
  return `(${alias}.attempt_rules is not null and ${alias}.attempt_state ->> 'FinishedAt' is not null
    and (${alias}.attempt_rules ->> 'After' = 'finished'
      or (${alias}.attempt_state #>> '{Result,Success}' = 'failed' and not ${passed})))`;
}

/** Returns the time from which a cool-down allows another attempt. Returns null if there is no cool-down. */
export function coolDownEnd(row: AttemptColumns & ResultColumns): Date | null {
  const rules = rulesOf(row.attempt_rules);
  const { FinishedAt } = stateOf(row);
  if (rules === null || rules.CoolDown === null || FinishedAt === null) return null;
  return new Date(Date.parse(FinishedAt) + coolDownMilliseconds(rules));
}

/** Attempts since the last reset. A reset starts an attempt that has no launch yet. */
export function attemptsUsed(row: EnrolmentRow): number {
  return stateOf(row).Used - (row.launches > row.attempt_launch ? 0 : 1);
}

export const statuses = ['enrolled', 'in_progress', 'completed', 'expired', 'withdrawn'] as const;
export type Status = (typeof statuses)[number];

/**
 * Actions on an enrolment. `complete` and `reopen` follow the effective result, which an override may reverse;
 * `restore` returns to the status before the end.
 */
export type Action = 'launch' | 'complete' | 'reopen' | 'expire' | 'withdraw' | 'restore';

/** All transitions. An action without an entry leaves the status unchanged. */
const transitions: Record<
  Status,
  Partial<Record<Action, Status | 'status_before_end' | 'before_completion'>>
> = {
  enrolled: { launch: 'in_progress', complete: 'completed', expire: 'expired', withdraw: 'withdrawn' },
  in_progress: { complete: 'completed', expire: 'expired', withdraw: 'withdrawn' },
  completed: { reopen: 'before_completion', withdraw: 'withdrawn' },
  expired: { complete: 'completed', withdraw: 'withdrawn', restore: 'status_before_end' },
  withdrawn: { restore: 'status_before_end' },
};

type StatusFacts = { status: Status; status_before_end: Status | null; started_at: Date | null };

export function nextStatus(row: StatusFacts, action: Action): Status {
  const from = row.status;
  const to = transitions[from][action];
  if (to === undefined) return from;
  if (to === 'before_completion') return row.started_at === null ? 'enrolled' : 'in_progress';
  return to === 'status_before_end' ? (row.status_before_end ?? 'enrolled') : to;
}

/** SQL: the status of `alias` after the action. */
export function statusAfter(alias: string, action: Action): string {
  const targets: Record<string, string> = {
    status_before_end: `coalesce(${alias}.status_before_end, 'enrolled')`,
    before_completion: `case when ${alias}.started_at is null then 'enrolled' else 'in_progress' end`,
  };
  const cases = statuses.flatMap((from) => {
    const to = transitions[from][action];
    return to === undefined ? [] : `when ${alias}.status = '${from}' then ${targets[to] ?? `'${to}'`}`;
  });
  return `(case ${cases.join(' ')} else ${alias}.status end)`;
}

/** The status that follows from the completion in the effective result. */
export function statusFollowing(row: StatusFacts, completion: string): Status {
  return nextStatus(row, completion === 'completed' ? 'complete' : 'reopen');
}

/** The current status: an uncompleted enrolment expires when its time is up, whether or not a job has recorded it. */
export function statusAt(row: StatusFacts & { expires_at: Date | null }, now: Date): Status {
  return row.expires_at !== null && row.expires_at <= now ? nextStatus(row, 'expire') : row.status;
}

/** `statusAt` in SQL. */
export function statusAtSql(alias: string, now: string): string {
  return `(case when ${alias}.expires_at <= ${now} then ${statusAfter(alias, 'expire')} else ${alias}.status end)`;
}

export const outcomes = [
  'not_started',
  'in_progress',
  'passed',
  'failed',
  'completed',
  'expired',
  'withdrawn',
] as const;
export type Outcome = (typeof outcomes)[number];

/** The outcomes that the result decides, whatever the status. */
export const results = ['passed', 'failed'] as const satisfies readonly Outcome[];

/** The outcome of an enrolment that has no result and is not completed. */
const ofStatus: Record<Status, Outcome> = {
  enrolled: 'not_started',
  in_progress: 'in_progress',
  completed: 'completed',
  expired: 'expired',
  withdrawn: 'withdrawn',
};

/** The result comes before the status, so that it outlives the end of access. */
export function outcomeOf(
  status: Status,
  { Success, Completion }: Pick<Evidence, 'Success' | 'Completion'>,
): Outcome {
  const result = results.find((one) => one === Success);
  return result ?? (Completion === 'completed' ? 'completed' : ofStatus[status]);
}

/** SQL: Success in the effective result. An index has this expression. */
export const successSql = (alias: string) => `coalesce(${alias}.override ->> 'Success', ${alias}.success)`;

/** SQL: Completion in the effective result. */
export const completionSql = (alias: string) =>
  `coalesce(${alias}.override ->> 'Completion', ${alias}.completion)`;

const cases = Object.entries(ofStatus).map(([status, outcome]) => `when '${status}' then '${outcome}'`);

/** `outcomeOf` in SQL. */
export function outcomeSql(alias: string, status = `${alias}.status`): string {
  return `(case when ${successSql(alias)} in (${results.map((one) => `'${one}'`).join(', ')}) then ${successSql(alias)}
    when ${completionSql(alias)} = 'completed' then 'completed'
    else case ${status} ${cases.join(' ')} end end)`;
}

/** The statuses that an enrolment without a result can have if this is its outcome. */
export function statusesOf(outcome: Outcome): Status[] {
  const statuses = namesOf(ofStatus).filter((status) => ofStatus[status] === outcome);
  return outcome === 'completed' ? [...statuses, 'withdrawn'] : statuses;
}

/**
 * Progress leaves the indexed column `changed_at` unchanged for up to this long, so that PostgreSQL updates
 * no index and keeps the row on its page. `last_accessed_at` has the time of the change.
 */
export const maxListingDelay = `interval '5 minutes'`;

/** SQL: when the enrolment last changed. */
export const changedAtSql = (row: string) => `greatest(${row}.changed_at, ${row}.last_accessed_at)`;

/** SQL: a change at the time `now` may leave `changed_at` unchanged if it is later than this. */
export const listedSinceSql = (now: string) => `${now} - ${maxListingDelay}`;

type Result = Pick<Evidence, 'Completion' | 'Success' | 'Score'>;

/** An administrator's decision, as stored. Fields that it omits keep the value that the course recorded. */
export type Override = Partial<Result> & { Reason: string; At: string };

type ResultRow = {
  completion: Result['Completion'];
  success: Result['Success'];
  score: number | null;
  override: unknown;
};

/** The cast is safe: the column is written only from a validated `Override`. */
export function overrideOf(row: { override: unknown }): Override | null {
  return row.override as Override | null;
}

export function recordedResult(row: ResultRow): Result {
  return {
    Completion: row.completion,
    Success: row.success,
    Score: row.score,
  };
}

/** Returns the effective result: the fields of the override, and the recorded values of all other fields. */
export function withOverride<R extends Result>(result: R, override: Override | null): R {
  if (override === null) return result;
  const { Reason: _, At: __, ...decided } = override;
  return { ...result, ...decided };
}

export function countingResult(row: ResultRow): Result {
  return withOverride(recordedResult(row), overrideOf(row));
}

/** The state of the enrolment in the `Data` of an event. */
export const stateData = (status: Status, result: Result) => ({
  Status: status,
  Outcome: outcomeOf(status, result),
});

export function resultData(
  row: ResultRow & { status: Status; progress: number; total_seconds: number },
): Record<string, unknown> {
  const result = countingResult(row);
  return {
    ...stateData(row.status, result),
    ...result,
    Progress: row.progress,
    TotalSeconds: row.total_seconds,
  };
}

type CourseResult = Result & { Progress: number };

export function eventsFor(before: CourseResult, after: CourseResult, completed: boolean): EventType[] {
  const types: EventType[] = [];
  if (completed) types.push('enrolment.completed');
  if (after.Success !== before.Success && after.Success === 'passed') types.push('enrolment.passed');
  if (after.Success !== before.Success && after.Success === 'failed') types.push('enrolment.failed');
  const moved =
    after.Progress !== before.Progress ||
    after.Score !== before.Score ||
    after.Completion !== before.Completion;
  if (types.length === 0 && moved) types.push('enrolment.progressed');
  return types;
}
