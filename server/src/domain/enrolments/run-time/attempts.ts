import { isDeepStrictEqual } from 'node:util';
import { nothing } from '../../../../../standards/evidence.ts';
import { traits } from '../../../../../standards/traits.ts';
import { ownRows, updateOwn } from '../../../db/own-rows.ts';
import { run, transaction } from '../../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import { Problem } from '../../../lib/errors.ts';
import { isId, newId } from '../../../lib/ids.ts';
import { appendAudit } from '../../audit/chain.ts';
import { playableContent } from '../../catalogue/playable.ts';
import { appendEvents } from '../../events/append.ts';
import {
  type EnrolmentWithNames,
  enrolmentNotFound,
  selectEnrolments,
  toEnrolment,
} from '../record/record.ts';
import { decideAttempt } from '../record/rules.ts';
import type { Enrolment } from '../record/schemas.ts';
import {
  type AttemptState,
  columnsOf,
  countingAttempt,
  countingResult,
  resultIn,
  stateData,
  stateOf,
  statusFollowing,
} from '../record/states.ts';
import { abandonAuSessions } from './au-sessions.ts';
import { forgetProgress } from './progress-cache.ts';

/**
 * Maximum bytes of run-time data kept for an enrolment's earlier attempts. Attempts beyond this
 * limit keep only their results.
 */
const maxKept = 16 * 1024 ** 2;

const keepUnits = `
with ended as (
  delete from attempt_unit unit where unit.tenant_id = $1 and unit.enroll_id = $2 returning unit.*
), space as (
  select coalesce(sum(ended.bytes), 0)::integer as bytes, coalesce(sum(ended.bytes), 0) + $4 <= ${maxKept} as is_left
  from ended
), kept as (
  insert into earlier_unit
    (tenant_id, enroll_id, number, unit_id, launch, commit_number, data, bytes, evidence, updated_at)
  select $1, $2, $3, ended.unit_id, ended.launch, ended.commit_number,
    case when space.is_left then ended.data else '{}' end, case when space.is_left then ended.bytes else 0 end,
    ended.evidence, ended.updated_at
  from ended cross join space
)
select case when space.is_left then space.bytes else 0 end as bytes from space`;

/** Bytes kept for the attempts before this one. */
async function bytesOfEarlierAttempts(ctx: TenantContext, row: EnrolmentWithNames): Promise<number> {
  const before = await ownRows(ctx, 'earlier_attempt', {
    enroll_id: row.enroll_id,
    number: row.attempt_number - 1,
  })
    .select('kept_bytes')
    .executeTakeFirst();
  return before?.kept_bytes ?? 0;
}

type End = { endedBy: 'launch' } | { endedBy: 'reset'; reason: string };

/**
 * Moves the run-time data of the current attempt to the history, and ends the sessions of units that report directly to
 * the service. The caller has locked the enrolment.
 */
async function keepCurrentAttempt(ctx: TenantContext, row: EnrolmentWithNames, end: End): Promise<void> {
  const { Result, FinishedAt } = stateOf(row);
  const key = { tenant_id: ctx.tenantId, enroll_id: row.enroll_id };
  await ctx.db
    .insertInto('earlier_attempt')
    .values({
      ...key,
      number: row.attempt_number,
      release_id: row.release_id,
      first_launch: row.attempt_launch + 1,
      last_launch: row.launches,
      finished_at: FinishedAt === null ? null : new Date(FinishedAt),
      ended_at: tenantNow(ctx),
      ended_by: end.endedBy,
      reason: end.endedBy === 'reset' ? end.reason : null,
      discarded: end.endedBy === 'reset',
      result: JSON.stringify(Result),
    })
    .execute();
  const before = await bytesOfEarlierAttempts(ctx, row);
  const values = [ctx.tenantId, row.enroll_id, row.attempt_number, before];
  const [kept] = await run<{ bytes: number }>(ctx, keepUnits, values);
  await ctx.db
    .updateTable('earlier_attempt')
    .set({ kept_bytes: before + (kept?.bytes ?? 0) })
    .where('tenant_id', '=', key.tenant_id)
    .where('enroll_id', '=', key.enroll_id)
    .where('number', '=', row.attempt_number)
    .execute();
  await abandonAuSessions(ctx, row.enroll_id);
  // Data that the course shares with the learner's other courses is kept.
  await ctx.db
    .updateTable('attempt')
    .set({ tree_state: null, last_unit_id: null, root: null })
    .where('tenant_id', '=', key.tenant_id)
    .where('enroll_id', '=', key.enroll_id)
    .execute();
}

/** Starts the next attempt before a launch, if the rules still allow it. */
export function startAttempt(ctx: TenantContext, { enrollId }: { enrollId: string }): Promise<void> {
  return transaction(ctx, async (ctx) => {
    const row = await selectEnrolments(ctx)
      .where('enrolment.enroll_id', '=', enrollId)
      .forUpdate('enrolment')
      .executeTakeFirst();
    if (!row || !decideAttempt(row, tenantNow(ctx)).isAllowed) return;
    const before = stateOf(row);
    await keepCurrentAttempt(ctx, row, { endedBy: 'launch' });
    const state: AttemptState = {
      Used: before.Used + 1,
      Result: nothing,
      FinishedAt: null,
      Earlier: countingAttempt(before.Earlier, before.Result, row.attempt_rules),
      EarlierSeconds: before.EarlierSeconds + before.Result.TotalSeconds,
    };
    await writeAttempt(ctx, row, { attempt_state: JSON.stringify(state) });
    const Attempt = row.attempt_number + 1;
    const about = { userId: row.user_id, enrollId, courseId: row.course_id };
    await appendEvents(ctx, [{ type: 'enrolment.attempt_started', ...about, data: { Attempt } }]);
    forgetProgress(ctx, enrollId);
  });
}

type Changes = { attempt_state: string | null } & Partial<
  Pick<
    EnrolmentWithNames,
    'status' | 'completion' | 'success' | 'score' | 'progress' | 'total_seconds' | 'completed_at'
  >
>;

/** The new attempt uses the release that is current when it is launched. */
async function writeAttempt(ctx: TenantContext, row: EnrolmentWithNames, changes: Changes): Promise<void> {
  await updateOwn(ctx, 'enrolment', { enroll_id: row.enroll_id })
    .set({
      ...changes,
      attempt_number: row.attempt_number + 1,
      attempt_launch: row.launches,
      release_id: null,
      changed_at: tenantNow(ctx),
      revision: row.revision + 1,
    })
    .execute();
}

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
    await updateOwn(ctx, 'earlier_attempt', { enroll_id: enrollId })
      .set({ discarded: true })
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
  if (traits[standard].hasAttempts) return;
  throw new Problem(
    'not_resettable',
    'The statements about a cmi5 course belong to its enrolment, so it cannot be reset. Enrol the user again with IfEnrolled set to renew.',
  );
}
