import { inBatches } from '../../db/batches.ts';
import { databaseFunction } from '../../db/functions.ts';
import { limitLockWaitsSql, run, transaction } from '../../db/transaction.ts';
import {
  type Context,
  secondsAhead,
  type TenantContext,
  tenantNow,
  tenantNowOfSql,
} from '../../infra/context/context.ts';
import { isServed, servedTenants } from '../../infra/operations/jobs.ts';
import { newId } from '../../lib/ids.ts';
import { eventBuffer, eventType } from '../events/write.ts';
import { outcomeSql, statusAfter } from './record/states.ts';

/**
 * A run ends after the round in which this time has elapsed, so that tenants with locked enrolments do not
 * wait long.
 */
const maxRunMilliseconds = 20_000;

/** Maximum number of enrolments per batch. A learner's commit waits for at most one batch. */
const maxBatch = 200;

type Due = { tenant_id: string; enroll_id: string };

/** SQL: up to $2 enrolments of a tenant that are due at this time. */
const dueOf = (tenant: string, now: string) => `select enrolment.tenant_id, enrolment.enroll_id from enrolment
  where enrolment.tenant_id = ${tenant} and enrolment.ended_at is null and enrolment.expires_at <= ${now}
  order by enrolment.expires_at limit $2`;

/**
 * Selects up to $2 enrolments that are due at $1, except those of the tenants $3. The query starts from the
 * event logs, because every tenant that has enrolments has one.
 */
const dueText = `/* across tenants: enrolments expire in all tenants */
select next.tenant_id, next.enroll_id from event_log log
cross join lateral (
  ${dueOf('log.tenant_id', tenantNowOfSql('$1', '$4', 'log.tenant_id'))}
) next where log.tenant_id <> all($3::text[]) and ${isServed('log.tenant_id', '$5')} limit $2`;

const dueInTenantText = dueOf('$1', '$3');

/**
 * Expires the enrolments of the tenant `$1` in the list `$2`, each with an event ID, if they are due at `$3`.
 * Nodes process different rows. After locking a row, they check again that its end has not moved. Completed
 * enrolments keep their status and get no event. Returns the number of ended enrolments.
 */
export const expireFunction = databaseFunction({
  name: 'expire_enrolments',
  parameters: 'text, jsonb, timestamptz',
  returns: 'integer',
  body: `
declare
  due record;
  ended enrolment;
  count integer := 0;
  ${eventBuffer.declare}
begin
  ${limitLockWaitsSql};
  for due in select * from jsonb_to_recordset($2) as r (enroll_id uuid, event_id uuid) loop
    select own.* into ended from enrolment own
    where own.tenant_id = $1 and own.enroll_id = due.enroll_id and own.ended_at is null and own.expires_at <= $3
    for no key update skip locked;
    continue when not found;
    update enrolment set ended_at = enrolment.expires_at, changed_at = $3, status = ${statusAfter('enrolment', 'expire')},
      status_before_end = enrolment.status
    where enrolment.tenant_id = $1 and enrolment.enroll_id = due.enroll_id
    returning enrolment.* into ended;
    count := count + 1;
    continue when ended.status <> 'expired';
    ${eventBuffer.add({
      id: 'due.event_id',
      type: eventType('enrolment.expired'),
      user: 'ended.user_id',
      enrolment: 'ended.enroll_id',
      course: 'ended.course_id',
      data: `jsonb_build_object('Status', ended.status, 'Outcome', ${outcomeSql('ended')})`,
    })}
  end loop;
  ${eventBuffer.write('true')}
  return count;
end`,
});

const expireText = `select expired.count from ${expireFunction.name}($1, $2, $3) as expired (count)`;

/**
 * Expires the due enrolments of all tenants. Each expired enrolment gets exactly one event, even if
 * several nodes run this repeatedly. Returns the number of ended enrolments. If this fails in some tenants,
 * throws after the others have been served.
 */
export async function expireEnrolments(ctx: Context): Promise<number> {
  let ended = 0;
  const end = performance.now() + maxRunMilliseconds;
  const failures = new Map<string, unknown>();
  // Locked enrolments are left for the next run, together with all others of their tenant. Otherwise, a
  // tenant with many locked enrolments would hold up the other tenants.
  for (const locked = new Set<string>(); ; ) {
    const { size } = locked;
    const round = { locked, failures, served: new Set<string>() };
    const count = await inBatches(ctx, maxBatch, (ctx, rows) => expireBatch(ctx, rows, round));
    ended += count;
    if ((count === 0 && locked.size === size) || performance.now() > end) break;
  }
  const errors = [...failures.values()];
  if (errors.length > 0)
    throw new AggregateError(errors, 'The enrolments of some tenants could not be expired.');
  return ended;
}

/** In a round, each tenant is served once, so a tenant with many due enrolments does not hold up the others. */
type Round = { served: Set<string>; locked: Set<string>; failures: Map<string, unknown> };

/** Ends up to `rows` enrolments, and adds their tenants to the round. */
async function expireBatch(ctx: Context, rows: number, { served, locked, failures }: Round): Promise<number> {
  const values = [ctx.now(), rows, [...served, ...locked], secondsAhead(ctx), await servedTenants(ctx)];
  const due = await run<Due>(ctx, dueText, values);
  const tenants = [...Map.groupBy(due, ({ tenant_id }) => tenant_id)].sort();
  let ended = 0;
  for (const [tenantId, enrolments] of tenants) {
    // A savepoint, so that a failure does not roll back what was done for other tenants.
    const work = transaction({ ...ctx, tenantId }, (ctx) => expireDue(ctx, enrolments));
    const count = await work.catch((error) => {
      failures.set(tenantId, error);
      return 0;
    });
    (count < enrolments.length ? locked : served).add(tenantId);
    ended += count;
  }
  return ended;
}

/** Returns how many of the enrolments have ended. The others are locked or no longer due. */
async function expireDue(ctx: TenantContext, due: readonly Due[]): Promise<number> {
  const now = tenantNow(ctx);
  const items = due.map(({ enroll_id }) => ({ enroll_id, event_id: newId(now) }));
  const [row] = await run<{ count: number }>(ctx, expireText, [ctx.tenantId, JSON.stringify(items), now]);
  return row?.count ?? 0;
}

/** Expires up to `maxBatch` due enrolments of one tenant. The job expires the others. */
export async function expireBatchOfTenant(ctx: TenantContext): Promise<void> {
  const due = await run<Due>(ctx, dueInTenantText, [ctx.tenantId, maxBatch, tenantNow(ctx)]);
  if (due.length > 0) await expireDue(ctx, due);
}
