import { isDeepStrictEqual } from 'node:util';
import type { Standard } from '../../../../standards/types.ts';
import { updateOwn } from '../../db/own-rows.ts';
import { transaction } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { codeOf, Problem } from '../../lib/errors.ts';
import { isId, newId } from '../../lib/ids.ts';
import { differences } from '../../lib/tables.ts';
import type { NewAudit } from '../audit/actions.ts';
import { appendAudit } from '../audit/chain.ts';
import { rejectRules, rulesOf, withDefaultRules } from '../catalogue/attempt-rules.ts';
import { playableContent } from '../catalogue/playable.ts';
import { freeSeats, takeSeat } from '../catalogue/seats.ts';
import { appendEvents, type NewEvent } from '../events/append.ts';
import type { EventType } from '../events/types.ts';
import { requireUntouched } from '../users/untouched.ts';
import { storedTimeFactor } from '../users/users.ts';
import { withInstants } from './enrol.ts';
import { changedDetails, detailNames, storedDetails } from './record/details.ts';
import {
  type EnrolmentRow,
  type EnrolmentWithNames,
  enrolmentNotFound,
  selectEnrolments,
  toEnrolment,
} from './record/record.ts';
import type { Enrolment, EnrolmentChange } from './record/schemas.ts';
import {
  type Action,
  columnsOf,
  countingResult,
  earlierParts,
  eventsFor,
  finishedAt,
  nextStatus,
  type Override,
  overrideOf,
  type PlayedAttempt,
  resultData,
  resultIn,
  resultOfAttempts,
  stateData,
  stateOf,
  statusAt,
  statusFollowing,
} from './record/states.ts';
import { countingOf, readEarlierAttempts } from './run-time/earlier-commits.ts';

/**
 * Returns the audit entries for an administrator's changes to an enrolment. They omit the reason
 * for an override: it is free text, so only the enrolment stores it.
 */
function auditsOf(
  before: EnrolmentWithNames,
  after: EnrolmentWithNames,
  differs: readonly string[],
  eventId: string,
): NewAudit[] {
  const about = { targetId: after.enroll_id, eventId };
  const entries: NewAudit[] = [];
  if (before.status !== 'withdrawn' && after.status === 'withdrawn')
    entries.push({ action: 'enrolment.withdrawn', data: {}, ...about });
  if (before.status === 'withdrawn' && after.status !== 'withdrawn')
    entries.push({ action: 'enrolment.reinstated', data: {}, ...about });
  if (differs.includes('Override'))
    entries.push({ action: 'enrolment.overridden', data: overrideData(after), ...about });
  if (differs.includes('ExpiresAt')) {
    const data = { From: textOf(before.expires_at), To: textOf(after.expires_at) };
    entries.push({ action: 'enrolment.end_changed', data, ...about });
  }
  const Changed = differs.filter((name) => ['Attempts', 'TimeFactor', ...detailNames].includes(name));
  if (Changed.length > 0) entries.push({ action: 'enrolment.details_changed', data: { Changed }, ...about });
  return entries;
}

const textOf = (instant: Date | null) => instant?.toISOString() ?? null;

function overrideData(after: EnrolmentWithNames) {
  const override = overrideOf(after);
  if (override === null) return { Removed: true };
  const { Reason: _, At: __, ...result } = override;
  return result;
}

/** The data that a change to the attempt rules depends on. */
type PlayedAttempts = { standard: Standard; earlier: readonly PlayedAttempt[] };

/** Returns the row after the change. All statuses come from the transition table. */
function changed(
  before: EnrolmentWithNames,
  input: EnrolmentChange,
  { now, graceDays, played }: { now: Date; graceDays: number; played: PlayedAttempts | null },
): EnrolmentWithNames {
  const row = { ...before, ...changedDetails(input) };
  if (input.TimeFactor !== undefined)
    row.time_factor = input.TimeFactor === 'user' ? null : storedTimeFactor(input.TimeFactor);
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

/** Changes the given fields; the others keep their values. */
export async function updateEnrolment(
  ctx: TenantContext,
  input: EnrolmentChange & { loginId: string; enrollId: string },
  { untouchedMs }: { untouchedMs?: number } = {},
): Promise<Enrolment> {
  if (!isId(input.enrollId)) throw enrolmentNotFound();
  const sent = await withInstants(ctx, input);
  return transaction(ctx, async (ctx) => {
    const before = await selectEnrolments(ctx)
      .where('enrolment.enroll_id', '=', input.enrollId)
      .where('user.login_id', '=', input.loginId)
      .forUpdate('enrolment')
      .executeTakeFirst();
    if (!before) throw enrolmentNotFound();
    const now = tenantNow(ctx);
    const graceDays = ctx.config.seatGraceDays;
    const after = changed(before, sent, {
      now,
      graceDays,
      played: await readPlayed(ctx, input, before),
    });
    const differs = differences(toEnrolment(ctx, after), toEnrolment(ctx, before));
    if (differs.length === 0 && after.duration !== before.duration) differs.push('ExpiresAt');
    if (after.time_factor !== before.time_factor && !differs.includes('TimeFactor'))
      differs.push('TimeFactor');
    if (differs.length === 0) return toEnrolment(ctx, after);
    if (input.IfUntouched) requireUntouched(ctx, touchesOf(before), untouchedMs);
    await write(ctx, after);
    const eventId = newId(now);
    await appendEvents(ctx, eventsOf(before, after, differs, eventId, now));
    await appendAudit(ctx, ctx.tenantId, ...auditsOf(before, after, differs, eventId));
    // Move the seat last, because other tenants wait for the option until the commit.
    await moveSeat(ctx, before, after);
    return toEnrolment(ctx, after);
  });
}

const touchesOf = ({ enrolled_at, changed_at, launches }: EnrolmentWithNames) => ({
  createdAt: enrolled_at,
  changedAt: changed_at,
  isUsed: launches > 0,
});

async function readPlayed(
  ctx: TenantContext,
  { enrollId, Attempts }: EnrolmentChange & { enrollId: string },
  { release_id }: EnrolmentWithNames,
): Promise<PlayedAttempts | null> {
  if (Attempts === undefined) return null;
  const { standard } = await playableContent(ctx, release_id);
  if (Attempts !== null) rejectRules(standard);
  return { standard, earlier: countingOf(await readEarlierAttempts(ctx, { enrollId, launch: null })) };
}

async function moveSeat(
  ctx: TenantContext,
  before: EnrolmentWithNames,
  after: EnrolmentWithNames,
): Promise<void> {
  if (before.holds_seat && !after.holds_seat) await freeSeats(ctx, after, 1);
  if (before.holds_seat || !after.holds_seat || (await takeSeat(ctx, after))) return;
  throw new Problem(
    'no_seats_left',
    'The seat of this enrolment was given to another enrolment, and no seats are left. Enrol the user with another option, or ask the operator for more seats.',
    { param: 'Withdrawn' },
  );
}

async function write(ctx: TenantContext, after: EnrolmentWithNames): Promise<void> {
  await updateOwn(ctx, 'enrolment', { enroll_id: after.enroll_id })
    .set({
      status: after.status,
      status_before_end: after.status_before_end,
      expires_at: after.expires_at,
      end_set_at: after.end_set_at,
      ended_at: after.ended_at,
      duration: after.duration,
      override: after.override === null ? null : JSON.stringify(after.override),
      attempt_rules: after.attempt_rules === null ? null : JSON.stringify(after.attempt_rules),
      attempt_state: after.attempt_state === null ? null : JSON.stringify(after.attempt_state),
      ...columnsOf(resultIn(after)),
      holds_seat: after.holds_seat,
      time_factor: after.time_factor,
      ...storedDetails(after),
      changed_at: tenantNow(ctx),
      revision: after.revision + 1,
    })
    .execute()
    .catch((error: unknown) => {
      if (codeOf(error) !== uniqueViolation) throw error;
      throw new Problem(
        'already_enrolled',
        'The user has a newer enrolment on this course. Withdraw the newer enrolment first, or change it instead.',
      );
    });
}

const uniqueViolation = '23505';

/** Returns events for an expiry that was not recorded yet, for the change itself, and for the effect of an override. */
function eventsOf(
  before: EnrolmentWithNames,
  after: EnrolmentWithNames,
  differs: string[],
  eventId: string,
  now: Date,
): NewEvent[] {
  const event = (type: EventType, data: Record<string, unknown>): NewEvent => ({
    type,
    userId: after.user_id,
    enrollId: after.enroll_id,
    courseId: after.course_id,
    data,
  });
  const wasLapsed = before.ended_at === null && statusAt(before, now) === 'expired';
  const isExpiryRecorded = wasLapsed && after.ended_at !== null;
  const [was, is] = [countingResult(before), countingResult(after)];
  const expired = isExpiryRecorded ? [event('enrolment.expired', stateData('expired', was))] : [];
  const completed = was.Completion !== 'completed' && after.status === 'completed';
  const progress = { Progress: after.progress };
  const results = eventsFor({ ...was, ...progress }, { ...is, ...progress }, completed);
  return [
    ...expired,
    {
      ...event(typeOf(statusAt(before, now), after.status), {
        Changed: differs,
        ...stateData(after.status, is),
        Success: is.Success,
      }),
      id: eventId,
    },
    ...results.map((type) => event(type, resultData(after))),
  ];
}

function typeOf(before: string, after: string): EventType {
  if (before === after) return 'enrolment.updated';
  if (after === 'withdrawn') return 'enrolment.withdrawn';
  return after === 'expired' ? 'enrolment.expired' : 'enrolment.updated';
}
