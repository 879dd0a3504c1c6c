import { secondsAhead, tenantNowOfSql, tenantNowSql } from '../../../platform/clocks.ts';
import type { Context, TenantContext } from '../../../platform/context.ts';
import { isServed, servedTenants } from '../../../platform/db/citus/node-tenants.ts';
import { run } from '../../../platform/db/transaction.ts';

/** SQL: `days` as an interval, in hours because a day can have 23 or 25 hours when the clocks change. */
export const lengthOf = (days: string) => `make_interval(hours => 24 * ${days})`;

const forget = `/* across tenants: reminders of all tenants */
delete from reminder_progress own where not exists (
  select from tenant client where client.tenant_id = own.tenant_id and own.days = any(client.reminder_days)
) and ${isServed('own.tenant_id', '$1')}`;

/**
 * The search begins with enrolments that end in this many days. A new setting therefore sends no reminders
 * that were due before it was made.
 */
const begin = (tenants: string) => `/* across tenants: reminders of all tenants */
insert into reminder_progress (tenant_id, days, ends_at, enroll_id)
select log.tenant_id, wanted.days, ${tenantNowSql('$1', 'client')} + ${lengthOf('wanted.days')}, '00000000-0000-0000-0000-000000000000'
from event_log log
join tenant client on client.tenant_id = log.tenant_id and client.status = 'active'
cross join unnest(client.reminder_days) wanted (days)
where ${tenants} and not exists (
  select from reminder_progress own where own.tenant_id = log.tenant_id and own.days = wanted.days
)
on conflict do nothing`;

/**
 * Applies the tenants' settings. The query starts from the event logs, because every tenant that has
 * enrolments has one.
 */
export async function syncSettings(ctx: Context): Promise<void> {
  const served = await servedTenants(ctx);
  await run(ctx, { name: 'forget_reminders', text: forget, values: [served] });
  const text = begin(isServed('log.tenant_id', '$2'));
  await run(ctx, { name: 'begin_reminders', text, values: [ctx.now(), served] });
}

/**
 * Begins the search for one tenant. Call this before moving the tenant's clock, because a search finds no
 * enrolment that ends before the search began.
 */
export async function beginReminders(ctx: TenantContext): Promise<void> {
  const values = [ctx.now(), ctx.tenantId];
  await run(ctx, { name: 'begin_reminders_of_tenant', text: begin('log.tenant_id = $2'), values });
}

export type Due = { tenant_id: string; days: number };

type Limits = { tenant: string; now: string; max: string };

/**
 * SQL: selects a tenant's next enrolments to search. They end after the position in `own`, a row of
 * `reminder_progress`, and within its number of days.
 */
export const nextEnrolments = ({ tenant, now, max }: Limits) => `select enrolment.* from enrolment
  where enrolment.tenant_id = ${tenant} and enrolment.ended_at is null
    and (enrolment.expires_at, enrolment.enroll_id) > (own.ends_at, own.enroll_id)
    and enrolment.expires_at <= ${now}::timestamptz + ${lengthOf('own.days')}
  order by enrolment.expires_at, enrolment.enroll_id limit ${max}`;

const due = `/* across tenants: reminders are due in all tenants */
select own.tenant_id, own.days from reminder_progress own
join tenant client on client.tenant_id = own.tenant_id and client.status = 'active'
cross join lateral (${nextEnrolments({ tenant: 'own.tenant_id', now: tenantNowOfSql('$1', '$3', 'own.tenant_id'), max: '1' })}) next
where ${isServed('own.tenant_id', '$4')} limit $2`;

/**
 * Returns up to `max` pairs of tenant and days that have enrolments to search. Skips suspended
 * tenants.
 */
export async function dueReminders(ctx: Context, max: number): Promise<Due[]> {
  const values = [ctx.now(), max, secondsAhead(ctx), await servedTenants(ctx)];
  return run<Due>(ctx, { name: 'due_reminders', text: due, values });
}

/** The days before the end for which a search of one tenant has begun. */
export async function searchedDays(ctx: TenantContext): Promise<number[]> {
  const rows = await ctx.db
    .selectFrom('reminder_progress')
    .select('days')
    .where('tenant_id', '=', ctx.tenantId)
    .orderBy('days')
    .execute();
  return rows.map(({ days }) => days);
}
