import type { Context } from '../../infra/context/context.ts';
import { countEvents, type EventCounter, groupNamesSql, isMovedNow, perLineText } from './event-counter.ts';

/** The enrolments that the events are about. */
const touchedText = `
  select entry.enroll_id from entry where entry.enroll_id is not null and entry.type like 'enrolment.%'
  union
  select move.enroll_id from move where ${isMovedNow}`;

/**
 * The current end of each enrolment, and how it was last counted. Events do not contain ends. A later change has its
 * own event, so the enrolment is then counted again.
 */
const toldText = `
  select touched.enroll_id, own.course_id, own.group_names, own.day,
    counted.group_names as counted_groups, counted.day as counted_day
  from touched
  cross join lateral (
    select enrolment.course_id, ${groupNamesSql} as group_names,
      case when enrolment.user_id is not null and enrolment.status in ('enrolled', 'in_progress')
        then (enrolment.expires_at at time zone 'UTC')::date end as day
    from enrolment where enrolment.tenant_id = $1 and enrolment.enroll_id = touched.enroll_id limit 1
  ) own
  left join lateral (
    select held.group_names, held.day from counted_end held
    where held.tenant_id = $1 and held.enroll_id = touched.enroll_id limit 1
  ) counted on true
  where (own.day, case when own.day is not null then own.group_names end) is distinct from (counted.day, counted.group_names)`;

/** What to add to the counts of a course and group. */
const flowText = `
  select told.course_id, told.counted_groups as group_names, told.counted_day as day, -1 as number
  from told where told.counted_day is not null
  union all
  select told.course_id, told.group_names, told.day, 1 from told where told.day is not null`;

const keepText = `
  insert into counted_end (tenant_id, enroll_id, group_names, day)
  select $1, told.enroll_id, told.group_names, told.day from told where told.day is not null
  on conflict (tenant_id, enroll_id) do update set group_names = excluded.group_names, day = excluded.day`;

const dropText = `
  delete from counted_end held using told
  where held.tenant_id = $1 and held.enroll_id = told.enroll_id and told.day is null`;

/** A CTE that adds `flow` to the counts. Its rows have `course_id, group_names, day, number`. */
export const storeEndsText = `stored as (
  insert into access_end (tenant_id, kind, course_id, group_name, day, enrolments)
  select $1, line.kind, line.course_id, line.group_name, line.day, line.enrolments
  from (${perLineText('sum(flow.number)::integer as enrolments', 'having sum(flow.number) <> 0')}) line
  on conflict (tenant_id, kind, course_id, group_name, day) do update
  set enrolments = access_end.enrolments + excluded.enrolments
)`;

export const accessCounter: EventCounter = {
  log: 'access_log',
  text: `touched as (${touchedText}), told as (${toldText}), flow as (${flowText}), kept as (${keepText}), dropped as (${dropText}), ${storeEndsText}`,
};

/** Job: counts when access ends, for all tenants that use access reports. */
export const countAccess = (ctx: Context) => countEvents(ctx, accessCounter);
