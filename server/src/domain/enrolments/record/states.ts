import type { Evidence } from '../../../../../standards/types.ts';
import { namesOf } from '../../../lib/tables.ts';
import type { EventType } from '../../events/types.ts';

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

const cases = Object.entries(ofStatus).map(([status, outcome]) => `when '${status}' then '${outcome}'`);

/** `outcomeOf` in SQL. */
export function outcomeSql(alias: string, status = `${alias}.status`): string {
  return `(case when ${successSql(alias)} in (${results.map((one) => `'${one}'`).join(', ')}) then ${successSql(alias)}
    when coalesce(${alias}.override ->> 'Completion', ${alias}.completion) = 'completed' then 'completed'
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

type ResultColumns = {
  completion: Result['Completion'];
  success: Result['Success'];
  score: number | null;
  override: unknown;
};

/** The cast is safe: the column is written only from a validated `Override`. */
export function overrideOf(row: { override: unknown }): Override | null {
  return row.override as Override | null;
}

export function recordedResult(row: ResultColumns): Result {
  return {
    Completion: row.completion,
    Success: row.success,
    Score: row.score,
  };
}

/**
 * Returns the effective result: the fields of the override, and the recorded values of all other
 * fields.
 */
export function withOverride<R extends Result>(result: R, override: Override | null): R {
  if (override === null) return result;
  const { Reason: _, At: __, ...decided } = override;
  return { ...result, ...decided };
}

export function countingResult(row: ResultColumns): Result {
  return withOverride(recordedResult(row), overrideOf(row));
}

/** The state of the enrolment in the `Data` of an event. */
export const stateData = (status: Status, result: Result) => ({
  Status: status,
  Outcome: outcomeOf(status, result),
});

/** The `Data` of events that report a result. */
export function resultData(
  row: ResultColumns & { status: Status; progress: number; total_seconds: number },
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
