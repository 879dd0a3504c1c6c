import { isDeepStrictEqual } from 'node:util';
import type { Standard } from '../../../../standards/types.ts';
import { rulesOf, withDefaultRules } from '../catalogue/attempt-rules.ts';
import {
  columnsOf,
  earlierParts,
  finishedAt,
  type PlayedAttempt,
  resultOfAttempts,
  stateOf,
} from './attempts/state.ts';
import { countingResult, type Override, overrideOf } from './effective-result.ts';
import type { EnrolmentRow, EnrolmentWithNames } from './record.ts';
import type { EnrolmentChange } from './schemas.ts';
import { type Action, nextStatus, statusFollowing } from './states.ts';

/** The data that a change to the attempt rules depends on. */
export type PlayedAttempts = { standard: Standard; earlier: readonly PlayedAttempt[] };

/** Returns the row after the change. All statuses come from the transition table. */
export function changed(
  before: EnrolmentWithNames,
  input: EnrolmentChange,
  { now, graceDays, played }: { now: Date; graceDays: number; played: PlayedAttempts | null },
): EnrolmentWithNames {
  const row = { ...before };
  if (input.Reference !== undefined) row.reference = input.Reference;
  if (input.Metadata !== undefined) row.metadata = input.Metadata;
  if (input.Override !== undefined) row.override = overrideAfter(before, input.Override, now);
  if (input.Attempts !== undefined && played) changeRules(row, input.Attempts, played, now);
  if (input.ExpiresAt !== undefined) moveEnd(row, input.ExpiresAt, now);
  if (input.Withdrawn === true && row.status !== 'withdrawn') withdraw(row, now, graceDays);
  if (input.Withdrawn === false && row.status === 'withdrawn') {
    restore(row);
    row.holds_seat = true;
  }
  row.status = statusFollowing(row, countingResult(row).Completion);
  const lapsed = row.expires_at !== null && row.expires_at <= now;
  if (row.status === 'withdrawn') return row;
  if (lapsed) end(row, 'expire', row.expires_at ?? now);
  else if (row.ended_at !== null) {
    restore(row);
    row.status = statusFollowing(row, countingResult(row).Completion);
  }
  return row;
}

/** Recalculates the result, because the new rules may select a different earlier attempt. */
function changeRules(
  row: EnrolmentWithNames,
  sent: NonNullable<EnrolmentChange['Attempts']> | null,
  { standard, earlier }: PlayedAttempts,
  now: Date,
): void {
  const rules = sent && withDefaultRules(sent);
  if (isDeepStrictEqual(rules, rulesOf(row.attempt_rules))) return;
  const state = stateOf(row);
  const end = finishedAt(null, state.Result, { standard, now: lastUse(row, now) });
  const FinishedAt = state.FinishedAt ?? end?.toISOString() ?? null;
  const next = { ...state, FinishedAt, ...earlierParts(rules, earlier) };
  row.attempt_rules = rules;
  row.attempt_state = next;
  Object.assign(row, columnsOf(resultOfAttempts(rules, next)));
}

const lastUse = (row: EnrolmentRow, now: Date) => row.completed_at ?? row.last_accessed_at ?? now;

/** Sending the same override again changes nothing, not even its time. */
function overrideAfter(
  before: EnrolmentRow,
  sent: NonNullable<EnrolmentChange['Override']> | null,
  now: Date,
): Override | null {
  const known = overrideOf(before);
  if (sent === null || !known) return sent && { ...sent, At: now.toISOString() };
  const { At, ...decided } = known;
  return isDeepStrictEqual(decided, sent) ? known : { ...sent, At: now.toISOString() };
}

/** Removing the end date before the first launch also removes the duration that would start with that launch. */
function moveEnd(row: EnrolmentRow, expiresAt: string | null, now: Date): void {
  const end = expiresAt === null ? null : new Date(expiresAt);
  if (end?.getTime() !== row.expires_at?.getTime()) row.end_set_at = now;
  row.expires_at = end;
  if (expiresAt === null && row.starts_on === 'launch' && row.started_at === null) row.duration = null;
}

function withdraw(row: EnrolmentRow, now: Date, graceDays: number): void {
  end(row, 'withdraw', now);
  const age = now.getTime() - row.enrolled_at.getTime();
  if (age < graceDays * 86_400_000) row.holds_seat = false;
}

function end(row: EnrolmentRow, action: Action, at: Date): void {
  const next = nextStatus(row, action);
  if (next !== row.status && row.status !== 'expired' && row.status !== 'withdrawn')
    row.status_before_end = row.status;
  row.status = next;
  row.ended_at = at;
}

function restore(row: EnrolmentRow): void {
  row.status = nextStatus(row, 'restore');
  row.ended_at = null;
}
