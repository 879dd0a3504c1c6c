import { deleteOwn, ownRows, updateOwn } from '../../db/own-rows.ts';
import { run, transaction } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { addDays, dayOf, firstInstant } from '../../lib/days.ts';
import { isOpen } from '../requirements/status.ts';
import { timeZoneOf } from '../tenants/time-zone.ts';
import { digestOf, hasMonday, isReportedSql, reminderSettings, type Span, spansOf } from './settings.ts';

/** SQL on `held`: an enrolment that can still be completed, on a course that has not been completed elsewhere meanwhile. */
export const isStudied = `held.ended_at is null and held.status in ('enrolled', 'in_progress') and not exists (
  select from external_completion own where own.tenant_id = $1 and own.user_id = held.user_id
    and own.course_id = held.course_id and own.deleted_at is null and own.success <> 'failed'
    and own.completed_at > held.enrolled_at - interval '1 day')`;

/** SQL on `held`: the due date of the enrolment is not that of an obligation. */
export const hasOwnDueDate = `held.due_at is not null and not exists (
  select from obligation own where own.tenant_id = $1 and own.user_id = held.user_id and own.enroll_id = held.enroll_id)`;

/** SQL on `held`: access ends between these instants, and before anything is due. */
export const hasEnd = (
  from: string,
  until: string,
) => `(held.expires_at > ${from} and held.expires_at < ${until}
  and coalesce(held.due_at > held.expires_at, true) and not exists (
    select from obligation own where own.tenant_id = $1 and own.user_id = held.user_id
      and own.enroll_id = held.enroll_id and own.due_at <= held.expires_at))`;

const spans = (parameter: string, id = '') =>
  `jsonb_to_recordset(${parameter}::jsonb) as made (${id}from_at timestamptz, until_at timestamptz)`;

/**
 * `union` without `all`, because a row is in several spans if several days are looked at together. Nobody is reminded on the day on which something was assigned: there has been no time to do it.
 */
const chooseText = `
with wanted as (
  select made.* from ${spans('$3', 'requirement_id text, ')}
), ends as (
  select made.* from ${spans('$4')}
), chosen as (
  select held.user_id, false as team, null::jsonb as ending from wanted
  join obligation held on held.tenant_id = $1 and held.due_at >= wanted.from_at and held.due_at < wanted.until_at
    and ${isOpen} and held.opened_at < $5
    and (held.requirement_id = wanted.requirement_id
      or wanted.requirement_id is null and held.requirement_id <> all($6::text[]))
  union
  select held.user_id, false, null from wanted
  join enrolment held on held.tenant_id = $1 and held.due_at >= wanted.from_at and held.due_at < wanted.until_at
    and ${isStudied} and held.enrolled_at < $5
  where wanted.requirement_id is null and ${hasOwnDueDate}
  union
  select held.user_id, false, jsonb_build_object('EnrollID', held.enroll_id, 'CourseID', held.course_id,
    'ExpiresAt', held.expires_at) from ends
  join enrolment held on held.tenant_id = $1 and held.expires_at >= ends.from_at and held.expires_at < ends.until_at
    and ${isStudied} and held.expires_at > $7
    and greatest(held.enrolled_at, held.end_set_at, case when held.starts_on = 'launch' then held.started_at end) < $5
  union
  select boss.user_id, true, null from "user" boss where boss.tenant_id = $1 and $8::boolean and exists (
    select from obligation held where held.tenant_id = $1 and held.manager_login_id = boss.login_id
      and ${isOpen} and held.due_at < $7 and ${isReportedSql('$9', '$6', '$10')})
)
insert into reminder (tenant_id, day, user_id, by_hand, team, endings)
select $1, $2, chosen.user_id, false, bool_or(chosen.team),
  coalesce(jsonb_agg(chosen.ending) filter (where chosen.ending is not null), '[]')
from chosen join "user" account on account.tenant_id = $1 and account.user_id = chosen.user_id and account.enabled
group by chosen.user_id order by chosen.user_id
on conflict do nothing`;

const keptDays = 90;

/** The last day for which people have been chosen, or `day` if there is none yet. Locked, unless another node has it. */
async function lastDay(ctx: TenantContext, day: string): Promise<string | null> {
  await ctx.db
    .insertInto('reminder_log')
    .values({ tenant_id: ctx.tenantId, day })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const log = await ownRows(ctx, 'reminder_log').select('day').forUpdate().skipLocked().executeTakeFirst();
  return log?.day ?? null;
}

/** Call it before a test clock moves, so that what happens on the way is not missed. */
export async function beginReminders(ctx: TenantContext): Promise<void> {
  const today = dayOf(tenantNow(ctx), await timeZoneOf(ctx));
  await lastDay(ctx, addDays(today, -1));
}

/** Chooses once a day whom to remind. The day, the people and the former position commit together. */
export function chooseToday(ctx: TenantContext): Promise<void> {
  return transaction(ctx, async (ctx) => {
    const now = tenantNow(ctx);
    const settings = await reminderSettings(ctx);
    const { zone, tenant, own } = settings;
    const today = dayOf(now, zone);
    const last = await lastDay(ctx, addDays(today, -1));
    if (last === null || last >= today) return;
    const days = { last, today, zone };
    const common = spansOf(tenant, days);
    const wanted: (Span & { requirement_id: string | null })[] = [
      ...common.due.map((span) => ({ requirement_id: null, ...span })),
      ...[...own].flatMap(([requirement_id, one]) =>
        spansOf(one, days).due.map((span) => ({ requirement_id, ...span })),
      ),
    ];
    const digest = digestOf(settings);
    await run(ctx, chooseText, [
      ...[
        ctx.tenantId,
        today,
        JSON.stringify(wanted),
        JSON.stringify(common.ends),
        firstInstant(today, zone),
      ],
      ...[digest.own, now, hasMonday(last, today), digest.others, digest.listed],
    ]);
    await deleteOwn(ctx, 'reminder').where('day', '<', addDays(today, -keptDays)).execute();
    await updateOwn(ctx, 'reminder_log').set({ day: today }).execute();
  });
}
