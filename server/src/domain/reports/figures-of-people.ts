import type { Condition, List } from '../../db/page.ts';
import { type Parameters, parametersAfter, runUnprepared } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { invalid } from '../../lib/errors.ts';
import { outcomeSql, outcomes, statusAtSql } from '../enrolments/record/states.ts';
import { groupsSql, isAmong, isInGroups, type PeopleFilter } from '../users/groups.ts';
import { type ActivityName, activities } from './count-activity.ts';
import type { Period, Unit } from './periods.ts';

/** Figures are counted in advance for courses and groups only. Those of a team, or of people with an attribute, are not. */
export const isOfSome = ({ ManagerLoginID, Attribute }: PeopleFilter) =>
  ManagerLoginID !== undefined || Attribute !== undefined;

export function rejectPast(filter: PeopleFilter): void {
  if (!isOfSome(filter)) return;
  const param = filter.ManagerLoginID === undefined ? 'Attribute' : 'ManagerLoginID';
  const detail = `${param} and an earlier AsOf exclude each other, because the managers and attributes of that day are not known. Leave out one of them.`;
  throw invalid(param, detail);
}

const conditions = (where: readonly Condition[], parameters: Parameters) =>
  where.map((condition) => ` and ${condition(parameters)}`).join('');

const status = 'found.status_now';
const endsWithin = (days: number) =>
  `${status} in ('enrolled', 'in_progress') and found.end_day between $2::date and $2::date + ${days}`;

const figures: Record<string, string> = {
  ...Object.fromEntries(outcomes.map((outcome) => [outcome, `found.outcome = '${outcome}'`])),
  open: `${status} in ('enrolled', 'in_progress')`,
  overdue: `${status} = 'expired'`,
  week: endsWithin(7),
  month: endsWithin(30),
};

type Kind = { hasCourse: boolean; hasGroup: boolean };
type LinesFilter = PeopleFilter & { CourseID?: string };

/** The lines of the reports about enrolments, for a list whose rows are `$1`, the tenant, and `$2`, today. */
export function linesOfPeople(
  ctx: TenantContext,
  { CourseID, GroupName, ...filter }: LinesFilter,
  { day, kind }: { day: string; kind: Kind },
): Pick<List, 'rows' | 'values'> {
  const parameters = parametersAfter(ctx.tenantId, day, tenantNow(ctx));
  const where = isAmong('owner', filter);
  if (CourseID !== undefined) where.push(({ add }) => `held.course_id = ${add(CourseID)}`);
  if (GroupName !== undefined) where.push(({ add }) => `place.group_name = ${add(GroupName)}`);
  const groups = kind.hasGroup
    ? `unnest(case when owner.group_name is null then '{""}' else ${groupsSql('owner')} end)`
    : `(values (''))`;
  const rows = `(
  select found.course_id, found.group_name, ${Object.entries(figures)
    .map(([name, condition]) => `(count(*) filter (where ${condition}))::integer as ${name}`)
    .join(', ')}
  from (
    select ${kind.hasCourse ? 'held.course_id' : "'' as course_id"}, place.group_name,
      ${statusAtSql('held', '$3')} as status_now, ${outcomeSql('held', statusAtSql('held', '$3'))} as outcome,
      (held.expires_at at time zone 'UTC')::date as end_day
    from "user" owner
    join enrolment held on held.tenant_id = $1 and held.user_id = owner.user_id
    cross join lateral ${groups} place (group_name)
    where owner.tenant_id = $1${conditions(where, parameters)}
  ) found group by found.course_id, found.group_name
) held where true`;
  return { rows, values: parameters.values };
}

type ActivityFilter = LinesFilter & { unit: Unit };
export type ActivityRow = Record<ActivityName, number> & { start: string };

/** The activity of these people by the first days of calendar periods. */
export function activityOfPeople(
  ctx: TenantContext,
  { unit, CourseID, GroupName, ...filter }: ActivityFilter,
  { from, to }: Period,
): Promise<ActivityRow[]> {
  const parameters = parametersAfter(ctx.tenantId, from, to, unit);
  const where = isAmong('owner', filter);
  if (CourseID !== undefined) where.push(({ add }) => `held.course_id = ${add(CourseID)}`);
  if (GroupName !== undefined) where.push(({ add }) => isInGroups('owner', `array[${add(GroupName)}]`));
  const counts = Object.entries(activities)
    .map(([name, condition]) => `(count(*) filter (where ${condition}))::integer as ${name}`)
    .join(', ');
  const text = `
select to_char(date_trunc($4::text, entry.occurred_at at time zone 'UTC'), 'YYYY-MM-DD') as start, ${counts}
from "user" owner
join enrolment held on held.tenant_id = $1 and held.user_id = owner.user_id
join event entry on entry.tenant_id = $1 and entry.enroll_id = held.enroll_id
where owner.tenant_id = $1 and entry.occurred_at >= $2::date::timestamp at time zone 'UTC'
  and entry.occurred_at < ($3::date + 1)::timestamp at time zone 'UTC'${conditions(where, parameters)}
group by 1`;
  return runUnprepared<ActivityRow>(ctx, text, parameters.values);
}
