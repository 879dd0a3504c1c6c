import { isDeepStrictEqual } from 'node:util';
import { nothing } from '../../../../../standards/evidence.ts';
import { tenantNow } from '../../../platform/clocks.ts';
import type { TenantContext } from '../../../platform/context.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { Problem } from '../../../platform/errors.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { appendAudit } from '../../audit/append.ts';
import { playableContent } from '../../catalogue/playable.ts';
import { appendEvents } from '../../events/append.ts';
import { countingResult, stateData } from '../effective-result.ts';
import { forgetProgress } from '../progress-cache.ts';
import { type EnrolmentWithNames, enrolmentNotFound, selectEnrolments, toEnrolment } from '../record.ts';
import type { Enrolment } from '../schemas.ts';
import { statusFollowing } from '../states.ts';
import { keepCurrentAttempt, writeAttempt } from './begin.ts';
import { columnsOf, resultIn, stateOf } from './state.ts';

type Reset = { loginId: string; enrollId: string; Reason: string };

/**
 * Lets the learner start over: earlier attempts remain available but no longer count. A second reset changes nothing.
 */
export async function resetEnrolment(ctx: TenantContext, input: Reset): Promise<Enrolment> {
  const { loginId, enrollId, Reason } = input;
  if (!isId(enrollId)) throw enrolmentNotFound();
  return transaction(ctx, async (ctx) => {
    const row = await selectEnrolments(ctx)
      .where('enrolment.enroll_id', '=', enrollId)
      .where('user.login_id', '=', loginId)
      .forUpdate('enrolment')
      .executeTakeFirst();
    if (!row) throw enrolmentNotFound();
    if (isFresh(row)) return toEnrolment(ctx, row);
    await rejectRegistration(ctx, row);
    await keepCurrentAttempt(ctx, row, { endedBy: 'reset', reason: Reason });
    await ctx.db
      .updateTable('earlier_attempt')
      .set({ discarded: true })
      .where('tenant_id', '=', ctx.tenantId)
      .where('enroll_id', '=', enrollId)
      // Update only the attempts since the last reset, so that the cost does not grow with the
      // history.
      .where('number', '>', row.attempt_number - stateOf(row).Used)
      .where('number', '<=', row.attempt_number)
      .execute();
    const changes = { ...columnsOf(nothing), completed_at: null, attempt_state: null };
    const result = countingResult({ ...row, ...changes });
    const status = statusFollowing(row, result.Completion);
    await writeAttempt(ctx, row, { ...changes, status });
    forgetProgress(ctx, enrollId);
    const eventId = newId(tenantNow(ctx));
    const Attempt = row.attempt_number + 1;
    const about = { userId: row.user_id, enrollId, courseId: row.course_id };
    await appendEvents(ctx, [
      {
        ...{ id: eventId, type: 'enrolment.reset' as const, ...about },
        data: { Attempt, ...stateData(status, result), Success: result.Success },
      },
    ]);
    await appendAudit(ctx, ctx.tenantId, {
      ...{ action: 'enrolment.reset' as const, targetId: enrollId, eventId },
      data: { Attempt },
    });
    const attempt = { attempt_number: Attempt, attempt_launch: row.launches };
    return toEnrolment(ctx, { ...row, ...changes, ...attempt, status });
  });
}

/** Whether there is nothing to discard. */
function isFresh(row: EnrolmentWithNames): boolean {
  const { Used } = stateOf(row);
  return Used === 1 && row.launches === row.attempt_launch && isDeepStrictEqual(resultIn(row), nothing);
}

async function rejectRegistration(ctx: TenantContext, { release_id }: EnrolmentWithNames): Promise<void> {
  const { standard } = await playableContent(ctx, release_id);
  if (standard !== 'cmi5') return;
  throw new Problem(
    'not_resettable',
    'The statements about a cmi5 course belong to its enrolment, so it cannot be reset. Enrol the user again with IfEnrolled set to renew.',
  );
}
