import type { Context } from '../../infra/context/context.ts';
import { outcomes } from '../enrolments/record/states.ts';
import { eventType } from '../events/write.ts';
import { countEvents, type EventCounter, groupNamesSql, isMovedNow, perLineText } from './event-counter.ts';

/** The figures of the reports: enrolments by outcome, and by the state of access if it is not `ended`. */
const figures = [...outcomes, 'open', 'overdue'] as const;

const list = (sql: (figure: (typeof figures)[number]) => string) => figures.map(sql).join(', ');

const key = ['kind', 'course_id', 'group_name'] as const;
const keyOf = (alias: string) => key.map((column) => `${alias}.${column}`).join(', ');
const sameKey = (one: string, other: string) =>
  key.map((column) => `${one}.${column} = ${other}.${column}`).join(' and ');

/** What to add to each line on each day: per course, per group, per course and group, and in total. */
const changeText = perLineText(
  list(
    (figure) => `coalesce(sum(flow.number) filter (where flow.name = '${figure}'), 0)::integer as ${figure}`,
  ),
);

/** The days to write. If an event is older than days that were already counted, these later days change as well. */
const dayText = `
  select ${keyOf('found')}, found.day, ${list((figure) => `sum(found.${figure}) as ${figure}`)}
  from (
    select change.* from change
    union all
    select ${keyOf('first')}, later.day, ${list(() => '0')}
    from (select ${keyOf('change')}, min(change.day) as day from change group by ${keyOf('change')}) first
    cross join lateral (
      select own.day from completion_day own
      where own.tenant_id = $1 and ${sameKey('own', 'first')} and own.day > first.day order by own.day
    ) later
  ) found
  group by ${keyOf('found')}, found.day`;

/** CTEs that add `flow` to the figures. Its rows have `course_id, group_names, day, name, number`. */
export const storeFlowText = `change as (${changeText}), day as (${dayText}),
line as (
  insert into completion_line (tenant_id, ${key.join(', ')})
  select distinct $1, ${keyOf('change')} from change on conflict do nothing
),
stored as (
  insert into completion_day (tenant_id, ${key.join(', ')}, day, ${list((figure) => figure)})
  select $1, ${keyOf('day')}, day.day, ${list(
    (figure) => `coalesce(before.${figure}, 0) + sum(day.${figure}) over earlier`,
  )}
  from day left join lateral (
    select own.* from completion_day own
    where own.tenant_id = $1 and ${sameKey('own', 'day')} and own.day <= day.day
    order by own.day desc limit 1
  ) before on true
  window earlier as (partition by ${keyOf('day')} order by day.day)
  on conflict (tenant_id, ${key.join(', ')}, day) do update set ${list((figure) => `${figure} = excluded.${figure}`)}
)`;

const created = eventType('enrolment.created');

/** SQL: the state of access for reports. A completed enrolment is neither open nor overdue. */
const accessOf = (status: string) => `case when ${status} in ('enrolled', 'in_progress') then 'open'
      when ${status} = 'expired' then 'overdue' when ${status} is not null then 'ended' end`;

/** What each event reports about an enrolment. */
const reportText = `
  select entry.enroll_id, entry.position, entry.day,
    case when entry.type = ${created} then 'open' else ${accessOf("entry.data ->> 'Status'")} end as access,
    case when entry.type = ${created} then 'not_started' else entry.data ->> 'Outcome' end as outcome
  from entry where entry.enroll_id is not null and entry.type like 'enrolment.%'
  union all
  select move.enroll_id, move.position, move.day, null, null
  from move where ${isMovedNow}`;

/** Adds the enrolment and how it was last counted. The enrolments of erased users no longer count. */
const toldText = `
  select report.enroll_id, report.position, report.day, own.course_id, own.group_names,
    case when own.is_erased then 'erased' else report.access end as access,
    case when own.is_erased then 'erased' else report.outcome end as outcome,
    counted.group_names as counted_groups, counted.access as counted_access, counted.outcome as counted_outcome
  from report
  cross join lateral (
    select enrolment.course_id, ${groupNamesSql} as group_names, enrolment.user_id is null as is_erased
    from enrolment where enrolment.tenant_id = $1 and enrolment.enroll_id = report.enroll_id limit 1
  ) own
  left join lateral (
    select held.group_names, held.access, held.outcome from counted_enrolment held
    where held.tenant_id = $1 and held.enroll_id = report.enroll_id limit 1
  ) counted on true`;

/** The values that the events report, each with the previous value. */
const stepText = `
  select told.course_id, told.group_names, told.day, part.value, coalesce(
      lag(part.value) over (partition by told.enroll_id, part.kind order by told.position), part.counted
    ) as former
  from told cross join lateral (
    values ('access', told.access, told.counted_access), ('outcome', told.outcome, told.counted_outcome)
  ) part (kind, value, counted)
  where part.value is not null`;

/** What to add to the figures of a course and group: first for the change of groups, then for the events. */
const flowText = `
  select first.course_id, place.group_names, first.day, figure.name, place.number
  from (select distinct on (told.enroll_id) told.* from told order by told.enroll_id, told.position) first
  cross join lateral (values (first.counted_groups, -1), (first.group_names, 1)) place (group_names, number)
  cross join lateral (values (first.counted_access), (first.counted_outcome)) figure (name)
  where first.counted_groups <> first.group_names
  union all
  select step.course_id, step.group_names, step.day, change.name, change.number
  from step cross join lateral (values (step.former, -1), (step.value, 1)) change (name, number)
  where step.value is distinct from step.former and change.name is not null`;

const last = (column: string) =>
  `(array_agg(told.${column} order by told.position desc) filter (where told.${column} is not null))[1]`;

const keepText = `
  insert into counted_enrolment as held (tenant_id, enroll_id, group_names, access, outcome)
  select $1, told.enroll_id, told.group_names, coalesce(${last('access')}, told.counted_access, 'open'),
    coalesce(${last('outcome')}, told.counted_outcome, 'not_started')
  from told
  group by told.enroll_id, told.group_names, told.counted_groups, told.counted_access, told.counted_outcome
  having told.counted_groups is not null or count(told.access) > 0
  on conflict (tenant_id, enroll_id) do update
  set group_names = excluded.group_names, access = excluded.access, outcome = excluded.outcome
  where (held.group_names, held.access, held.outcome) <> (excluded.group_names, excluded.access, excluded.outcome)`;

export const completionCounter: EventCounter = {
  log: 'completion_log',
  text: `report as (${reportText}), told as (${toldText}), step as (${stepText}), flow as (${flowText}), kept as (${keepText}), ${storeFlowText}`,
};

/**
 * Job: counts the new events of all tenants that use completion reports. Each event counts once, on the day
 * on which it occurred.
 */
export const countCompletion = (ctx: Context) => countEvents(ctx, completionCounter);
