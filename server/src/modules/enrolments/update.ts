import { tenantNow } from '../../platform/clocks.ts';
import type { TenantContext } from '../../platform/context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { differences } from '../../platform/differences.ts';
import { codeOf } from '../../platform/error-code.ts';
import { Problem } from '../../platform/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { appendAudit } from '../audit/append.ts';
import { rejectRules } from '../catalogue/attempt-rules.ts';
import { playableContent } from '../catalogue/playable.ts';
import { freeSeats, takeSeat } from '../catalogue/seats.ts';
import { appendEvents, type NewEvent } from '../events/append.ts';
import type { EventType } from '../events/types.ts';
import { requireUntouched } from '../users/untouched.ts';
import { changed, type PlayedAttempts } from './apply-change.ts';
import { countingOf, readEarlierAttempts } from './attempts/earlier-commits.ts';
import { columnsOf, resultIn } from './attempts/state.ts';
import { auditsOf } from './audits.ts';
import { countingResult, eventsFor, resultData, stateData } from './effective-result.ts';
import { type EnrolmentWithNames, enrolmentNotFound, selectEnrolments, toEnrolment } from './record.ts';
import type { Enrolment, EnrolmentChange } from './schemas.ts';
import { statusAt } from './states.ts';

/** Changes the given fields; the others keep their values. */
export async function updateEnrolment(
  ctx: TenantContext,
  input: EnrolmentChange & { loginId: string; enrollId: string },
): Promise<Enrolment> {
  if (!isId(input.enrollId)) throw enrolmentNotFound();
  return transaction(ctx, async (ctx) => {
    const before = await selectEnrolments(ctx)
      .where('enrolment.enroll_id', '=', input.enrollId)
      .where('user.login_id', '=', input.loginId)
      .forUpdate('enrolment')
      .executeTakeFirst();
    if (!before) throw enrolmentNotFound();
    const now = tenantNow(ctx);
    const graceDays = ctx.config.seatGraceDays;
    const after = changed(before, input, {
      now,
      graceDays,
      played: await readPlayed(ctx, input, before),
    });
    const differs = differences(toEnrolment(ctx, after), toEnrolment(ctx, before));
    if (differs.length === 0 && after.duration !== before.duration) differs.push('ExpiresAt');
    if (differs.length === 0) return toEnrolment(ctx, after);
    if (input.IfUntouched) requireUntouched(ctx, touchesOf(before));
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
  await ctx.db
    .updateTable('enrolment')
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
      reference: after.reference,
      metadata: JSON.stringify(after.metadata),
      changed_at: tenantNow(ctx),
      revision: after.revision + 1,
    })
    .where('tenant_id', '=', ctx.tenantId)
    .where('enroll_id', '=', after.enroll_id)
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

/**
 * Returns events for an expiry that was not recorded yet, for the change itself, and for the effect
 * of an override.
 */
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
