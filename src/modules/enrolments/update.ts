import type { TenantContext } from '../../platform/context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { differences } from '../../platform/differences.ts';
import { Problem } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { appendEvents } from '../events/append.ts';
import type { EventType } from '../events/types.ts';
import {
  type EnrolmentRow,
  type EnrolmentWithNames,
  enrolmentNotFound,
  selectEnrolments,
  toEnrolment,
} from './record.ts';
import type { Enrolment, EnrolmentChange } from './schemas.ts';
import { type Action, nextStatus, statusAt } from './states.ts';

/** Changes what is sent; what is not mentioned stays. */
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
    const after = changed(before, input, ctx.now());
    const differs = differences(toEnrolment(ctx, after), toEnrolment(ctx, before));
    if (differs.length > 0) await write(ctx, before, after, differs);
    return toEnrolment(ctx, after);
  });
}

/** The row as it will be. Every status comes out of the table of transitions. */
function changed(before: EnrolmentWithNames, input: EnrolmentChange, now: Date): EnrolmentWithNames {
  const row = { ...before };
  if (input.Reference !== undefined) row.reference = input.Reference;
  if (input.Metadata !== undefined) row.metadata = input.Metadata;
  if (input.ExpiresAt !== undefined)
    row.expires_at = input.ExpiresAt === null ? null : new Date(input.ExpiresAt);
  if (input.Withdrawn === true && row.status !== 'withdrawn') end(row, 'withdraw', now);
  if (input.Withdrawn === false && row.status === 'withdrawn') restore(row);
  const lapsed = row.expires_at !== null && row.expires_at <= now;
  if (lapsed && row.status !== 'withdrawn' && row.ended_at === null)
    end(row, 'expire', row.expires_at ?? now);
  if (!lapsed && row.status !== 'withdrawn' && row.ended_at !== null) restore(row);
  return row;
}

function end(row: EnrolmentRow, action: Action, at: Date): void {
  const next = nextStatus(row, action);
  if (next !== row.status && row.status !== 'expired') row.status_before_end = row.status;
  row.status = next;
  row.ended_at = at;
}

function restore(row: EnrolmentRow): void {
  row.status = nextStatus(row, 'restore');
  // A commit may have brought the completion after the end.
  if (row.completion === 'completed') row.status = nextStatus(row, 'complete');
  row.ended_at = null;
}

async function write(
  ctx: TenantContext,
  before: EnrolmentWithNames,
  after: EnrolmentWithNames,
  differs: string[],
): Promise<void> {
  await ctx.db
    .updateTable('enrolment')
    .set({
      status: after.status,
      status_before_end: after.status_before_end,
      expires_at: after.expires_at,
      ended_at: after.ended_at,
      reference: after.reference,
      metadata: JSON.stringify(after.metadata),
      changed_at: ctx.now(),
    })
    .where('tenant_id', '=', ctx.tenantId)
    .where('enroll_id', '=', after.enroll_id)
    .execute()
    .catch((error: unknown) => {
      if ((error as { code?: string }).code !== uniqueViolation) throw error;
      throw new Problem(
        'already_enrolled',
        'The user has a newer enrolment on this course. Withdraw that one first, or change it instead.',
      );
    });
  const was = statusAt(before, ctx.now());
  const status = statusAt(after, ctx.now());
  const about = { userId: after.user_id, enrollId: after.enroll_id, courseId: after.course_id };
  const type = status === was ? 'enrolment.updated' : (eventOf[status] ?? 'enrolment.updated');
  // A lapse that nothing had noted before is noted by this change.
  const lapsed = was === 'expired' && before.ended_at === null && after.ended_at !== null;
  await appendEvents(ctx, [
    ...(lapsed ? [{ type: 'enrolment.expired' as const, ...about, data: {} }] : []),
    { type, ...about, data: { Changed: differs, Status: status } },
  ]);
}

const eventOf: Record<string, EventType> = { withdrawn: 'enrolment.withdrawn', expired: 'enrolment.expired' };

const uniqueViolation = '23505';
