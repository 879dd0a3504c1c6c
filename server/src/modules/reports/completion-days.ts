import { outcomes } from '../enrolments/outcome.ts';

/** The figures of the reports: enrolments by outcome, and by the state of access if it is not `ended`. */
const figures = [...outcomes, 'open', 'overdue'] as const;

const list = (sql: (figure: (typeof figures)[number]) => string) => figures.map(sql).join(', ');

const key = ['kind', 'course_id', 'group_name'] as const;
const keyOf = (alias: string) => key.map((column) => `${alias}.${column}`).join(', ');
const sameKey = (one: string, other: string) =>
  key.map((column) => `${one}.${column} = ${other}.${column}`).join(' and ');

/** What to add to each line on each day: per course, per group, per course and group, and in total. */
const changeText = `
  select case grouping(flow.course_id, flow.group_name)
      when 0 then 'course_and_group' when 1 then 'course' when 2 then 'group' else 'total' end as kind,
    coalesce(flow.course_id, '') as course_id, coalesce(flow.group_name, '') as group_name, flow.day,
    ${list((figure) => `coalesce(sum(flow.number) filter (where flow.name = '${figure}'), 0)::integer as ${figure}`)}
  from flow
  group by grouping sets ((flow.day), (flow.day, flow.course_id), (flow.day, flow.group_name), (flow.day, flow.course_id, flow.group_name))`;

/**
 * The days to write. If an event is older than days that were already counted, these later days change as
 * well.
 */
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

/** CTEs that add `flow` to the figures. Its rows have `course_id, group_name, day, name, number`. */
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
