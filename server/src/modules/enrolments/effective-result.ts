import type { Evidence } from '../../../../standards/types.ts';
import type { EventType } from '../events/types.ts';
import { outcomeOf } from './outcome.ts';
import type { Status } from './states.ts';

export type Result = Pick<Evidence, 'Completion' | 'Success' | 'Score'>;

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
