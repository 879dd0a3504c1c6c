import { ownRows } from '../../db/own-rows.ts';
import { run } from '../../db/transaction.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { isServed, serveInTurns } from '../../infra/operations/jobs.ts';
import { eventType } from '../events/write.ts';
import { groupNamesSql, perLineText } from './event-counter.ts';

const isType = (type: Parameters<typeof eventType>[0]) => `entry.type = ${eventType(type)}`;

/** What is counted, and the condition on an event. */
export const activities = {
  enrolments: isType('enrolment.created'),
  starts: `${isType('enrolment.launched')} and entry.data ->> 'Launch' = '1'`,
  launches: isType('enrolment.launched'),
  completions: `${isType('enrolment.completed')} and entry.data ->> 'Outcome' <> 'failed'`,
  passed: isType('enrolment.passed'),
  failed: isType('enrolment.failed'),
  expired: isType('enrolment.expired'),
  withdrawn: isType('enrolment.withdrawn'),
} as const;
export type ActivityName = keyof typeof activities;
const names = Object.keys(activities);
const list = (sql: (name: string) => string) => names.map(sql).join(', ');

/** Maximum number of events per statement. On the embedded database, all other statements wait for it. */
const maxEvents = 500;

/** $2 is the position up to which events have been counted. */
const entryText = `
  select next.* from event next where next.tenant_id = $1 and next.position > $2::bigint
  order by next.position limit ${maxEvents}`;

/** Adds the course and the groups, because events do not name groups. */
const flowText = `
  select (entry.occurred_at at time zone 'UTC')::date as day, coalesce(entry.course_id, own.course_id, '') as course_id,
    coalesce(own.group_names, '{""}') as group_names, ${Object.entries(activities)
      .map(([name, condition]) => `case when ${condition} then 1 else 0 end as ${name}`)
      .join(', ')}
  from entry left join lateral (
    select enrolment.course_id, ${groupNamesSql} as group_names from enrolment
    where enrolment.tenant_id = $1 and enrolment.enroll_id = entry.enroll_id limit 1
  ) own on true
  where ${Object.values(activities)
    .map((condition) => `(${condition})`)
    .join(' or ')}`;

const countedText = perLineText(list((name) => `sum(flow.${name})::integer as ${name}`));

/**
 * Counts the next events. If several readers count concurrently, only the first one moves the position and
 * saves its counts.
 */
const settleText = `
with entry as (${entryText}), moved as (
  insert into activity_log (tenant_id, position)
  select $1, coalesce(max(entry.position), $2) from entry having count(*) > 0 or $2 = 0
  on conflict (tenant_id) do update set position = excluded.position where activity_log.position = $2
  returning position
), flow as (${flowText}), stored as (
  insert into activity_day (tenant_id, kind, course_id, group_name, day, ${list((name) => name)})
  select $1, counted.kind, counted.course_id, counted.group_name, counted.day, ${list((name) => `counted.${name}`)}
  from moved, (${countedText}) counted
  on conflict (tenant_id, kind, course_id, group_name, day) do update
  set ${list((name) => `${name} = activity_day.${name} + excluded.${name}`)}
)
select (select count(*)::integer from entry) as counted, (select count(*)::integer from moved) as moved`;

/**
 * Counts the next events of the tenant. Returns whether there may be more. Once it returns false, all events that had
 * been committed before the call are counted, each exactly once, on the day on which it occurred.
 */
export async function countNextActivity(ctx: TenantContext): Promise<boolean> {
  const place = await ownRows(ctx, 'activity_log').select('position').executeTakeFirst();
  const [row] = await run<{ counted: number; moved: number }>(ctx, settleText, [
    ctx.tenantId,
    place?.position ?? 0,
  ]);
  if (!row || (row.counted === 0 && place)) return false;
  // If the position did not move, another reader has counted these events, and perhaps not all of them.
  return row.moved === 0 || row.counted === maxEvents;
}

const uncountedText = `/* across tenants: the activity of all tenants */
select log.tenant_id from activity_log counted join event_log log on log.tenant_id = counted.tenant_id
where log.position > counted.position and log.tenant_id <> all($1::text[]) and ${isServed('log.tenant_id', '$2')}`;

/** Job: counts the new events of all tenants whose activity has been read, so that later reports find them counted. */
export function countActivity(ctx: Context): Promise<void> {
  return serveInTurns(ctx, { name: 'unread_activity', text: uncountedText, work: countNextActivity });
}
