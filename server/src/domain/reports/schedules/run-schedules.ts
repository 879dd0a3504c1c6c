import { run } from '../../../db/transaction.ts';
import { tenantNowSql } from '../../../infra/context/clocks.ts';
import type { Context, TenantContext } from '../../../infra/context/context.ts';
import { isServed, servedTenants } from '../../../infra/operations/node-tenants.ts';
import { runNext } from './run-next.ts';
import { maxSchedules } from './schemas.ts';

const tenantsPerRound = 50;

/** The second part finds reports of test tenants whose clocks are ahead, of which there are few. */
const dueText = `/* across tenants: scheduled reports of all tenants */
select due.tenant_id from (
  select own.tenant_id, own.next_run_at from report_schedule own
  join tenant client on client.tenant_id = own.tenant_id and client.status = 'active'
  where own.next_run_at <= $1 and own.tenant_id <> all($2::text[]) and ${isServed('own.tenant_id', '$4')}
  union all
  select own.tenant_id, own.next_run_at from tenant client
  join report_schedule own on own.tenant_id = client.tenant_id
  where client.clock_offset > 0 and client.status = 'active' and own.next_run_at <= ${tenantNowSql('$1', 'client')}
    and own.tenant_id <> all($2::text[]) and ${isServed('own.tenant_id', '$4')}
) due
group by due.tenant_id order by min(due.next_run_at) limit $3`;

/** A tenant that waits for its own locks delays only the others in its group. */
const tenantsAtOnce = 5;

/** After this time, a run ends, so that its failures are reported and skipped tenants get another turn. */
const maxRunMilliseconds = 20_000;

/**
 * Job: runs the reports that are due. In each round, every tenant with due reports runs one of them, so no tenant waits
 * for all reports of another. Suspended tenants get none.
 */
export async function runSchedules(ctx: Context): Promise<void> {
  const skipped = new Map<string, unknown>();
  const end = performance.now() + maxRunMilliseconds;
  const runOne = async (tenantId: string) => {
    try {
      // Another node is running the tenant's next report.
      if (!(await runNext({ ...ctx, tenantId }))) skipped.set(tenantId, null);
    } catch (error) {
      skipped.set(tenantId, error);
    }
  };
  while (!ctx.load.draining && performance.now() < end) {
    const due = await run<{ tenant_id: string }>(ctx, {
      name: 'due_schedules',
      text: dueText,
      values: [ctx.now(), [...skipped.keys()], tenantsPerRound, await servedTenants(ctx)],
    });
    if (due.length === 0) break;
    for (let at = 0; at < due.length; at += tenantsAtOnce)
      await Promise.all(due.slice(at, at + tenantsAtOnce).map(({ tenant_id }) => runOne(tenant_id)));
  }
  const failures = [...skipped.values()].filter((error) => error !== null);
  if (failures.length > 0)
    throw new AggregateError(failures, `The reports of ${failures.length} tenants could not be run.`);
}

/** Runs the due reports of one tenant. */
export async function runDue(ctx: TenantContext): Promise<void> {
  for (let n = 0; n < maxSchedules && (await runNext(ctx)); n++);
}
