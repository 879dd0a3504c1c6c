import type { Selectable } from 'kysely';
import { traits } from '../../../../../standards/traits.ts';
import type { Evidence, Standard } from '../../../../../standards/types.ts';
import type { EnrolmentTable } from '../../../db/engine/generated.ts';
import { coolDownMilliseconds, rulesOf } from '../../catalogue/attempt-rules.ts';
import { countingResult } from './states.ts';

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
