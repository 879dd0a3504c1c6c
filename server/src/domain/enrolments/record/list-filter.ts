import Type, { type Static, type TSchema } from 'typebox';
import type { Condition, List } from '../../../db/page.ts';
import { matches } from '../../../db/search.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { DayOrInstant, Instant, OneOf, Text } from '../../../http/validation/schema.ts';
import { invalid } from '../../../lib/errors.ts';
import { isId } from '../../../lib/ids.ts';
import { namesOf } from '../../../lib/tables.ts';
import { CourseID, DurationID } from '../../catalogue/schemas.ts';
import { hasAttribute, isNamed } from '../../users/groups.ts';
import { AttributeFilter, GroupFilter, LoginID, ManagerFilter } from '../../users/schemas.ts';
import { EnrollID } from './schemas.ts';
import {
  changedAtSql,
  maxListingDelay,
  nextStatus,
  type Outcome,
  outcomeSql,
  outcomes,
  results,
  type Status,
  statusAtSql,
  statuses,
  statusesOf,
  successSql,
} from './states.ts';

/** The last ones sort by due date, or by status and then by creation. */
export const enrolmentOrders = ['oldest', 'newest', 'due', 'status', 'status_descending'] as const;

/** `open`: neither completed nor ended. */
export const listedStatuses = [...statuses, 'open'] as const;
type ListedStatus = (typeof listedStatuses)[number];

/** The column by which the list is sorted before EnrollID. */
export type SortColumn = 'changed_at' | 'expires_at' | 'due_at' | 'status' | null;

const isByStatus = ({ Order }: EnrolmentFilter) => Order === 'status' || Order === 'status_descending';

const isByDue = ({ Order, DueBefore }: EnrolmentFilter) => Order === 'due' || DueBefore !== undefined;

export function sortColumnOf(input: EnrolmentFilter): SortColumn {
  if (isByStatus(input)) return 'status';
  if (isByDue(input)) return 'due_at';
  if (input.ChangedAfter !== undefined) return 'changed_at';
  return input.ExpiresAfter !== undefined || input.ExpiresBefore !== undefined ? 'expires_at' : null;
}

const openStatuses = statuses.filter(
  (status) => nextStatus({ status, status_before_end: null, started_at: null }, 'expire') !== status,
);

const isStored = (status: Status) => `held.status = '${status}'`;
const isOpen = `held.status in (${openStatuses.map((status) => `'${status}'`).join(', ')})`;

const endsAfter = (now: string) => `(held.expires_at is null or held.expires_at > ${now})`;

/** The status at this time: `expired` if the enrolment is overdue, otherwise the recorded one. */
function isStatus(status: ListedStatus, now: Date): Condition {
  if (status === 'open') return ({ add }) => `${isOpen} and ${endsAfter(add(now))}`;
  if (status === 'expired')
    return ({ add }) =>
      `(${isStored(status)} or (${isOpen} and held.ended_at is null and held.expires_at <= ${add(now)}))`;
  if (!openStatuses.includes(status)) return () => isStored(status);
  return ({ add }) => `${isStored(status)} and ${endsAfter(add(now))}`;
}

const listOf = (values: readonly string[]) => `(${values.map((value) => `'${value}'`).join(', ')})`;

function outcomesIn(text: string): Outcome[] {
  const names = text.split(',');
  const unknown = names.find((name) => !outcomes.some((one) => one === name));
  if (unknown === undefined) return outcomes.filter((one) => names.includes(one));
  const detail = `The outcome "${unknown}" does not exist. Use one of ${outcomes.join(', ')}, or several separated by commas.`;
  throw invalid('Outcome', detail);
}

/** The first condition is a range of an index, if there is one for these outcomes. */
function isOutcome(text: string, now: Date): Condition {
  const wanted = outcomesIn(text);
  const ofResult = results.filter((result) => wanted.includes(result));
  if (ofResult.length === wanted.length) return () => `${successSql('held')} in ${listOf(ofResult)}`;
  const stored = wanted.flatMap((one) => [...statusesOf(one), ...(one === 'expired' ? openStatuses : [])]);
  const range = ofResult.length === 0 ? `held.status in ${listOf(stored)} and ` : '';
  return ({ add }) => `${range}${outcomeSql('held', statusAtSql('held', add(now)))} in ${listOf(wanted)}`;
}

const isEqual =
  (column: string, value: string): Condition =>
  ({ add }) =>
    `held.${column} = ${add(value)}`;

const isOfUser =
  (loginId: string): Condition =>
  ({ add }) =>
    `held.user_id = (select owner.user_id from "user" owner where owner.tenant_id = $1 and owner.login_id = ${add(loginId)})`;

const isEnrolment =
  (enrollId: string): Condition =>
  ({ add }) =>
    `held.enroll_id = ${add(isId(enrollId) ? enrollId : null)}::uuid`;

const endsAfterTime =
  (from: Date): Condition =>
  ({ add }) =>
    `held.ended_at is null and held.expires_at > ${add(from)}`;

const endsBetween =
  (from: Date, until: Date): Condition =>
  ({ add }) =>
    `held.ended_at is null and held.expires_at > ${add(from)} and held.expires_at < ${add(until)}`;

/** As in the index of due dates. */
const isDue = `held.ended_at is null and held.due_at is not null and ${isOpen}`;

const isDueBefore =
  (time: string): Condition =>
  ({ add }) =>
    `held.due_at < ${add(new Date(time))}`;

/** The first condition is a range of the index. */
const isChangedAfter =
  (time: string): Condition =>
  ({ add }) =>
    `held.changed_at > ${add(new Date(time))}::timestamptz - ${maxListingDelay}
      and ${changedAtSql('held')} > ${add(new Date(time))}`;

const isOfUsers =
  (condition: Condition): Condition =>
  (parameters) =>
    `held.user_id in (select sought.user_id from "user" sought where sought.tenant_id = $1 and ${condition(parameters)})`;

const isOfTeam = (manager: string) => isOfUsers(isNamed('sought.manager_login_id', manager));

const isFound = (search: string) => isOfUsers(matches('sought.folded', search));

const filter = <const S extends TSchema>(
  schema: S,
  condition: (value: Static<S>, now: Date) => Condition,
) => ({ schema: Type.Optional(schema), condition });

/** The query parameters that select enrolments: what each accepts, and its condition. */
const filters = {
  LoginID: filter(LoginID, isOfUser),
  EnrollID: filter(
    { ...EnrollID, description: 'Finds an enrolment if you do not know its user.' },
    isEnrolment,
  ),
  Search: filter(
    Text(255, {
      description:
        'Words that must all be contained in the name, LoginID or Email of the user, as in `GET /user`: `muller ann` finds the enrolments of Anna Müller. Requires the scope users:read as well.',
    }),
    isFound,
  ),
  CourseID: filter(CourseID, (value) => isEqual('course_id', value)),
  DurationID: filter(
    { ...DurationID, description: 'An enrolment option of the course. Requires CourseID.' },
    (value) => isEqual('duration_id', value),
  ),
  PathEnrollID: filter(
    { ...EnrollID, description: 'The enrolments on the courses of a path, of one enrolment on the path.' },
    (value) =>
      ({ add }) =>
        `held.path_enroll_id = ${add(isId(value) ? value : null)}::uuid`,
  ),
  Status: filter(
    OneOf(listedStatuses, {
      description: 'The current status. `open`: neither completed nor ended (`enrolled` or `in_progress`).',
    }),
    isStatus,
  ),
  Outcome: filter(
    Text(255, { description: `One outcome, or several separated by commas: ${outcomes.join(', ')}.` }),
    isOutcome,
  ),
  ManagerLoginID: filter(ManagerFilter, isOfTeam),
  Attribute: filter(AttributeFilter, (value) => isOfUsers(hasAttribute('sought', value))),
  DueBefore: filter(
    DayOrInstant(
      'Only enrolments that are not completed and due before this day or instant, ordered by DueAt.',
    ),
    isDueBefore,
  ),
  ExpiresAfter: filter(
    Instant('Only current enrolments that end after this time, ordered by ExpiresAt.'),
    (value, now) => endsAfterTime(new Date(Math.max(now.getTime(), new Date(value).getTime()))),
  ),
  ExpiresBefore: filter(
    Instant('Only current enrolments that end before this time, ordered by ExpiresAt.'),
    (value, now) => endsBetween(now, new Date(value)),
  ),
  ChangedAfter: filter(
    Instant(
      'Only enrolments changed after this time. They are ordered by the time of the change; progress may appear up to five minutes too early in this order. To synchronise, send the time at which your previous read began.',
    ),
    isChangedAfter,
  ),
};

type Filters = typeof filters;
type Name = keyof Filters;

export type EnrolmentFilter = PageQuery & {
  Order?: (typeof enrolmentOrders)[number];
  GroupName?: string;
} & { [N in Name]?: Static<Filters[N]['schema']> };

const names = namesOf(filters);

const GroupName = Type.Optional(GroupFilter);

/** For the route. The cast is safe, because the object has one member for each filter. */
export const filterQuery = {
  ...Object.fromEntries(names.map((name) => [name, filters[name].schema])),
  GroupName,
} as { [N in Name]: Filters[N]['schema'] } & { GroupName: typeof GroupName };

/** The enrolments of a tenant: all, or those of the users in a group. */
export function enrolmentsOfGroup(
  tenantId: string,
  group: string | undefined,
): Pick<List, 'rows' | 'more' | 'values'> {
  const rows = 'enrolment held where held.tenant_id = $1';
  if (group === undefined) return { rows, values: [tenantId] };
  if (group === '') return { rows: `${rows} and held.group_name is null`, values: [tenantId] };
  return {
    rows: `${rows} and held.group_name = $2`,
    more: `enrolment_group member join enrolment held on held.tenant_id = $1 and held.enroll_id = member.enroll_id
      where member.tenant_id = $1 and member.group_name = $2`,
    values: [tenantId, group],
  };
}

/** The conditions of all filters. The enrolments of erased users are not listed. */
export function conditionsOf(input: EnrolmentFilter, now: Date): Condition[] {
  const conditionOf = <N extends Name>(name: N): Condition[] => {
    const value = input[name];
    const { condition } = filters[name] as { condition: (value: unknown, now: Date) => Condition };
    return value === undefined ? [] : [condition(value, now)];
  };
  const due: Condition[] = isByDue(input) ? [() => isDue] : [];
  return [() => 'held.user_id is not null', ...due, ...names.flatMap(conditionOf)];
}
