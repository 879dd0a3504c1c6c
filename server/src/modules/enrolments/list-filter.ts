import { type AccessPath, maxScanned } from '../../platform/db/list-scan.ts';
import type { Parameters } from '../../platform/db/parameters.ts';
import type { PageQuery } from '../../platform/http/pagination.ts';
import { isId } from '../../platform/ids.ts';
import { matchesSql } from '../users/find-matching.ts';
import { changedAtSql, maxListingDelay } from './changed-at.ts';
import { nextStatus, type Status, statuses } from './states.ts';

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
  GroupName?: string;
  ChangedAfter?: string;
  ExpiresAfter?: string;
  ExpiresBefore?: string;
};

/** A user has few enrolments, so these filters leave few rows. */
export const isOfOneUser = ({ LoginID, EnrollID }: EnrolmentFilter) =>
  LoginID !== undefined || EnrollID !== undefined;

/** The column by which the list is sorted before EnrollID. */
export type SortColumn = 'changed_at' | 'expires_at' | 'status' | null;

const isByStatus = ({ Order }: EnrolmentFilter) => Order === 'status' || Order === 'status_descending';

export function sortColumnOf(input: EnrolmentFilter): SortColumn {
  if (isByStatus(input)) return 'status';
  if (input.ChangedAfter !== undefined) return 'changed_at';
  return input.ExpiresAfter !== undefined || input.ExpiresBefore !== undefined ? 'expires_at' : null;
}

type Condition = (parameters: Parameters) => string;

const openStatuses = statuses.filter(
  (status) => nextStatus({ status, status_before_end: null, started_at: null }, 'expire') !== status,
);

/** Writes the status as a literal, so that the planner can use the partial index of that status. */
const isStored = (status: Status) => `held.status = '${status}'`;
const isOpen = `(${openStatuses.map(isStored).join(' or ')})`;

const endsAfter = (now: string) => `(held.expires_at is null or held.expires_at > ${now})`;

/** The status at this time: `expired` if the enrolment is overdue, otherwise the recorded one. */
function isStatus(status: ListedStatus, now: Date): Condition {
  if (status === 'open') return ({ add }) => `${isOpen} and ${endsAfter(add(now))}`;
  if (status === 'expired')
    return ({ add }) => `(${isStored(status)} or (${isOpen} and held.expires_at <= ${add(now)}))`;
  if (!openStatuses.includes(status)) return () => isStored(status);
  return ({ add }) => `${isStored(status)} and ${endsAfter(add(now))}`;
}

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

const isChangedAfter =
  (time: string): Condition =>
  ({ add }) =>
    `${changedAtSql('held')} > ${add(new Date(time))}`;

/** The index range that contains all enrolments changed after this time. */
const mayBeChangedAfter =
  (time: string): Condition =>
  ({ add }) =>
    `held.changed_at > ${add(new Date(time))}::timestamptz - ${maxListingDelay}`;

/** What the filters depend on: the time, and the overdue enrolments that may not be recorded as expired yet. */
type Found = { now: Date; overdue: string[] | null };

/** Checks the user of each row, for searches that find many users. */
const isFound =
  (search: string): Condition =>
  (parameters) =>
    `(select ${matchesSql(search, 'sought', parameters)} from "user" sought
      where sought.tenant_id = $1 and sought.user_id = held.user_id)`;

/** SQL of all filters. The enrolments of erased users are not listed. */
export function filterSql(input: EnrolmentFilter, { now }: Found, parameters: Parameters): string {
  const { LoginID, EnrollID, CourseID, DurationID, Status, GroupName, ChangedAfter } = input;
  const { add } = parameters;
  const conditions = ['held.user_id is not null'];
  if (LoginID !== undefined) conditions.push(isOfUser(LoginID)(parameters));
  if (EnrollID !== undefined) conditions.push(isEnrolment(EnrollID)(parameters));
  if (input.Search !== undefined) conditions.push(isFound(input.Search)(parameters));
  if (CourseID !== undefined) conditions.push(`held.course_id = ${add(CourseID)}`);
  if (DurationID !== undefined) conditions.push(`held.duration_id = ${add(DurationID)}`);
  if (GroupName !== undefined) conditions.push(`held.group_name = ${add(GroupName)}`);
  if (Status !== undefined) conditions.push(isStatus(Status, now)(parameters));
  if (ChangedAfter !== undefined) conditions.push(isChangedAfter(ChangedAfter)(parameters));
  if (input.ExpiresAfter !== undefined || input.ExpiresBefore !== undefined)
    conditions.push(endsWithin(input, now)(parameters));
  return conditions.join(' and ');
}

export type PathOf = (parameters: Parameters) => AccessPath;

/** The access paths of the filters. Each uses an index in EnrollID order. */
function pathsById(input: EnrolmentFilter, { overdue }: Found): PathOf[] {
  const { LoginID, EnrollID, CourseID, DurationID, Status, GroupName } = input;
  const paths: PathOf[] = [];
  if (EnrollID !== undefined) paths.push((parameters) => ({ ranges: [isEnrolment(EnrollID)(parameters)] }));
  if (LoginID !== undefined) paths.push((parameters) => ({ ranges: [isOfUser(LoginID)(parameters)] }));
  if (GroupName !== undefined)
    paths.push(({ add }) => ({
      ranges: ['true'],
      fixed: { column: 'held.group_name', value: add(GroupName) },
    }));
  if (CourseID !== undefined && DurationID !== undefined)
    paths.push(({ add }) => ({
      ranges: [`held.course_id = ${add(CourseID)} and held.duration_id = ${add(DurationID)}`],
    }));
  else if (CourseID !== undefined)
    paths.push((parameters) => {
      const course = `held.course_id = ${parameters.add(CourseID)}`;
      const ranges = rangesOf(Status, overdue, parameters);
      return { ranges: ranges.map((range) => `${course} and ${range}`) };
    });
  else if (Status !== undefined)
    paths.push((parameters) => ({ ranges: rangesOf(Status, overdue, parameters) }));
  return paths;
}

/**
 * Returns the index ranges of enrolments that have this status now. Overdue enrolments may not be
 * recorded as expired yet, so their recorded statuses are included.
 */
function rangesOf(status: ListedStatus | undefined, overdue: string[] | null, { add }: Parameters): string[] {
  if (status === undefined) return statuses.map(isStored);
  if (status === 'open') return openStatuses.map(isStored);
  if (!overdue || overdue.length === 0) return [isStored(status)];
  if (overdue.length === maxScanned) return [status, ...openStatuses].map(isStored);
  return [isStored(status), `${isOpen} and held.enroll_id = any(${add(overdue)}::uuid[])`];
}

/** Returns the paths in the order of the list first, then the paths that are faster only for few rows. */
export function accessPathsOf(input: EnrolmentFilter, found: Found): PathOf[] {
  const byId = pathsById(input, found);
  const isOfFew = isOfOneUser(input);
  const sortColumn = sortColumnOf(input);
  if (sortColumn === null) return byId.length > 0 ? byId : [() => ({ ranges: ['true'] })];
  if (sortColumn === 'status') return pathsByStatus(input, found, isOfFew, byId);
  const inOrder: PathOf = (parameters) => ({
    ranges: [
      input.ChangedAfter === undefined
        ? endsWithin(input, found.now)(parameters)
        : mayBeChangedAfter(input.ChangedAfter)(parameters),
    ],
  });
  const others = byId.map(
    (pathOf): PathOf =>
      (parameters) => ({ order: 'held.enroll_id', ...pathOf(parameters) }),
  );
  if (sortColumn === 'changed_at' && (input.ExpiresAfter !== undefined || input.ExpiresBefore !== undefined))
    others.push((parameters) => ({
      ranges: [endsWithin(input, found.now)(parameters)],
      order: 'held.expires_at, held.enroll_id',
    }));
  // A user has few enrolments, so the path by user comes first.
  return isOfFew ? [...others.slice(0, 1), inOrder, ...others.slice(1)] : [inOrder, ...others];
}

/**
 * The indexes by status, for a course and for the tenant, have this order. The other paths are faster only for few
 * rows.
 */
function pathsByStatus(
  input: EnrolmentFilter,
  { overdue }: Found,
  isOfFew: boolean,
  byId: PathOf[],
): PathOf[] {
  const { CourseID, Status } = input;
  const inOrder: PathOf = (parameters) => {
    const ofCourse = CourseID === undefined ? 'true' : `held.course_id = ${parameters.add(CourseID)}`;
    const isWhole = CourseID === undefined && Status === undefined;
    const ranges = isWhole ? ['true'] : rangesOf(Status, overdue, parameters);
    return { ranges: ranges.map((range) => `${ofCourse} and ${range}`) };
  };
  const others = byId.map(
    (pathOf): PathOf =>
      (parameters) => ({ order: 'held.enroll_id', ...pathOf(parameters) }),
  );
  return isOfFew ? [...others.slice(0, 1), inOrder, ...others.slice(1)] : [inOrder, ...others];
}
