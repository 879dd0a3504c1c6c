import { forTenant, run } from '../../db/transaction.ts';
import { type Context, type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { isServed, servedTenants } from '../../infra/operations/jobs.ts';
import { dayOf } from '../../lib/days.ts';
import { chooseToday } from './choose.ts';
import { queueNext } from './queue.ts';

/**
 * The query starts from the event logs, because every tenant that has enrolments has one. Tenants that have turned
 * reminders off pass their days too: turning them on again must not make up for the time in between.
 */
const tenantsText = `/* across tenants: reminders of all tenants */
select log.tenant_id, client.time_zone, own.day as last,
  exists (select from reminder held where held.tenant_id = log.tenant_id and held.is_pending) as is_pending
from event_log log
join tenant client on client.tenant_id = log.tenant_id and client.status = 'active'
left join reminder_log own on own.tenant_id = log.tenant_id
where ${isServed('log.tenant_id', '$1')} and (
  own.day is not null or (client.reminders ->> 'Enabled')::boolean
  or exists (select from requirement rule where rule.tenant_id = log.tenant_id and (rule.rule #>> '{Reminders,Enabled}')::boolean)
  or exists (select from reminder held where held.tenant_id = log.tenant_id and held.is_pending)
)`;

type Tenant = { tenant_id: string; time_zone: string; last: string | null; is_pending: boolean };

/**
 * Job: chooses each tenant's people at the beginning of its day and queues their emails. A failure leaves the other
 * tenants their turn.
 */
export async function sendReminders(ctx: Context): Promise<void> {
  const tenants = await run<Tenant>(ctx, tenantsText, [await servedTenants(ctx)]);
  const failures: unknown[] = [];
  for (const { tenant_id, time_zone, last, is_pending } of tenants) {
    const own = forTenant(ctx, tenant_id);
    const today = dayOf(tenantNow(own), time_zone);
    if (!is_pending && last !== null && last >= today) continue;
    try {
      await chooseToday(own);
      while (!ctx.load.draining && (await queueNext(own))) {}
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `The reminders of ${failures.length} tenants could not be queued.`);
}

/** How many batches a request queues itself. The job does the rest. */
const batchesOfRequest = 10;

export async function queueSome(ctx: TenantContext): Promise<void> {
  for (let n = 0; n < batchesOfRequest && (await queueNext(ctx)); n++);
}

/** The test clock: what has become due since the last day. */
export async function remindNow(ctx: TenantContext): Promise<void> {
  await chooseToday(ctx);
  await queueSome(ctx);
}
