import { type Context, type TenantContext, tenantNowSql } from '../../../infra/context/context.ts';
import { isServed, serveInTurns } from '../../../infra/operations/jobs.ts';
import { runNext } from './run-next.ts';
import { maxSchedules } from './schemas.ts';

/** The second part finds reports of test tenants whose clocks are ahead, of which there are few. */
const dueText = `/* across tenants: scheduled reports of all tenants */
select due.tenant_id from (
  select own.tenant_id, own.next_run_at from report_schedule own
  join tenant client on client.tenant_id = own.tenant_id and client.status = 'active'
  where own.next_run_at <= $3 and own.tenant_id <> all($1::text[]) and ${isServed('own.tenant_id', '$2')}
  union all
  select own.tenant_id, own.next_run_at from tenant client
  join report_schedule own on own.tenant_id = client.tenant_id
  where client.clock_offset > 0 and client.status = 'active' and own.next_run_at <= ${tenantNowSql('$3', 'client')}
    and own.tenant_id <> all($1::text[]) and ${isServed('own.tenant_id', '$2')}
) due
group by due.tenant_id order by min(due.next_run_at) limit 50`;

/** Job: runs the reports that are due, one of each tenant in a round. Suspended tenants get none. */
export const runSchedules = (ctx: Context): Promise<void> =>
  serveInTurns(ctx, { name: 'due_schedules', text: dueText, values: () => [ctx.now()], work: runNext });

export async function runDue(ctx: TenantContext): Promise<void> {
  for (let n = 0; n < maxSchedules && (await runNext(ctx)); n++);
}
