import type { Context } from '../../platform/context.ts';
import { inBatches } from '../../platform/db/batches.ts';
import { run } from '../../platform/db/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { eventType, insertEvent, numberBeforeCommit } from '../events/write.ts';
import { statusAfter } from './states.ts';

/** Maximum enrolments per batch. A learner's commit waits for at most one batch. */
const maxBatch = 200;

/**
 * Expires up to $3 enrolments that are due at $1, with the event IDs in $2. Nodes that run this concurrently take
 * different rows, and an enrolment that was just extended is checked again under its lock. Completed enrolments keep
 * their status and get no event.
 */
const text = `/* across tenants: enrolments expire in all tenants */
with due as materialized (
  select next.* from tenant cross join lateral (
    select enrolment.tenant_id, enrolment.enroll_id, enrolment.status from enrolment
    where enrolment.tenant_id = tenant.tenant_id and enrolment.ended_at is null and enrolment.expires_at <= $1
    order by enrolment.expires_at limit $3 for update skip locked
  ) next limit $3
), ended as (
  update enrolment set ended_at = enrolment.expires_at, changed_at = $1, status = ${statusAfter('enrolment', 'expire')},
    status_before_end = enrolment.status
  from due where enrolment.tenant_id = due.tenant_id and enrolment.enroll_id = due.enroll_id
  returning enrolment.*
), numbered as (
  select ended.*, row_number() over (order by ended.expires_at, ended.enroll_id) as n from ended
), written_events as (
  ${insertEvent}
  select tenant_id, ($2::uuid[])[n], ${eventType('enrolment.expired')}, $1::timestamptz, user_id, enroll_id, course_id,
    jsonb_build_object('Status', status)
  from numbered where status = 'expired'
  returning tenant_id
)
select count(*)::integer as ended, array(select distinct tenant_id from written_events) as tenants from ended`;

/**
 * Expires the due enrolments of all tenants, each with exactly one event, however often and on however many nodes it
 * runs. Returns the number of expired enrolments.
 */
export function expireEnrolments(ctx: Context): Promise<number> {
  return inBatches(ctx, maxBatch, async (ctx, rows) => {
    const now = ctx.now();
    const ids = Array.from({ length: rows }, () => newId(now));
    const values = [now, ids, rows];
    const [row] = await run<{ ended: number; tenants: string[] }>(ctx, {
      name: 'expire_enrolments',
      text,
      values,
    });
    numberBeforeCommit(ctx, row?.tenants ?? []);
    return row?.ended ?? 0;
  });
}
