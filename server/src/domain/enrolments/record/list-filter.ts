import type { Condition } from '../../../db/page.ts';
import { matches } from '../../../db/search.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { Problem } from '../../../lib/errors.ts';
import { isId } from '../../../lib/ids.ts';
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

/** The last two sort by status, then by creation. */
export const enrolmentOrders = ['oldest', 'newest', 'status', 'status_descending'] as const;

/** `open`: neither completed nor ended. */
export const listedStatuses = [...statuses, 'open'] as const;
type ListedStatus = (typeof listedStatuses)[number];

export type EnrolmentFilter = PageQuery & {
  Order?: (typeof enrolmentOrders)[number];
  LoginID?: string;
  EnrollID?: string;
  Search?: string;
  CourseID?: string;
  DurationID?: string;
  Status?: ListedStatus;
  /** Separated by commas. */
  Outcome?: string;
  GroupName?: string;
  ChangedAfter?: string;
  ExpiresAfter?: string;
  ExpiresBefore?: string;
};

/** The column by which the list is sorted before EnrollID. */
export type SortColumn = 'changed_at' | 'expires_at' | 'status' | null;

const isByStatus = ({ Order }: EnrolmentFilter) => Order === 'status' || Order === 'status_descending';

export function sortColumnOf(input: EnrolmentFilter): SortColumn {
  if (isByStatus(input)) return 'status';
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
  throw new Problem('validation_failed', detail, { param: 'Outcome' });
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

function endsWithin({ ExpiresAfter, ExpiresBefore }: EnrolmentFilter, now: Date): Condition {
  const from = new Date(Math.max(now.getTime(), new Date(ExpiresAfter ?? 0).getTime()));
  const until = ExpiresBefore === undefined ? null : new Date(ExpiresBefore);
  return ({ add }) =>
    `held.ended_at is null and held.expires_at > ${add(from)}${until ? ` and held.expires_at < ${add(until)}` : ''}`;
}

/** The first condition is a range of the index. */
const isChangedAfter =
  (time: string): Condition =>
  ({ add }) =>
    `held.changed_at > ${add(new Date(time))}::timestamptz - ${maxListingDelay}
      and ${changedAtSql('held')} > ${add(new Date(time))}`;

const isFound =
  (search: string): Condition =>
  (parameters) =>
    `held.user_id in (select sought.user_id from "user" sought
      where sought.tenant_id = $1 and ${matches('sought.folded', search)(parameters)})`;

/** The conditions of all filters. The enrolments of erased users are not listed. */
export function conditionsOf(input: EnrolmentFilter, now: Date): Condition[] {
  const { LoginID, EnrollID, Search, CourseID, DurationID, Status, Outcome, GroupName, ChangedAfter } = input;
  const isByEnd = input.ExpiresAfter !== undefined || input.ExpiresBefore !== undefined;
  return [
    () => 'held.user_id is not null',
    ...(LoginID === undefined ? [] : [isOfUser(LoginID)]),
    ...(EnrollID === undefined ? [] : [isEnrolment(EnrollID)]),
    ...(Search === undefined ? [] : [isFound(Search)]),
    ...(CourseID === undefined ? [] : [isEqual('course_id', CourseID)]),
    ...(DurationID === undefined ? [] : [isEqual('duration_id', DurationID)]),
    ...(GroupName === undefined ? [] : [isEqual('group_name', GroupName)]),
    ...(Status === undefined ? [] : [isStatus(Status, now)]),
    ...(Outcome === undefined ? [] : [isOutcome(Outcome, now)]),
    ...(ChangedAfter === undefined ? [] : [isChangedAfter(ChangedAfter)]),
    ...(isByEnd ? [endsWithin(input, now)] : []),
  ];
}
