import { sql } from 'kysely';
import type { TenantContext } from '../../platform/context.ts';
import { Problem } from '../../platform/errors.ts';
import {
  foreignCursor,
  type Order,
  type PageQuery,
  pageLimit,
  readCursor,
  toPage,
} from '../../platform/http/pagination.ts';
import { isId } from '../../platform/ids.ts';
import { isInstant } from '../../platform/instants.ts';
import { userNotFound } from '../users/users.ts';
import { type EnrolmentWithNames, selectEnrolments, toEnrolment } from './record.ts';
import { nextStatus, type Status, statuses } from './states.ts';

export type EnrolmentFilter = PageQuery &
  Order & {
    LoginID?: string;
    CourseID?: string;
    DurationID?: string;
    Status?: Status;
    GroupName?: string;
    ChangedAfter?: string;
    ExpiresAfter?: string;
    ExpiresBefore?: string;
  };

type Query = ReturnType<typeof selectEnrolments>;
type Place = { at: Date | null; id: string };

/** The sort keys before EnrollID. */
type Clock = 'changed_at' | 'expires_at' | null;

function userOf(ctx: TenantContext, loginId: string) {
  return ctx.db
    .selectFrom('user')
    .select('user_id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('login_id', '=', loginId);
}

/** A user's enrolments. */
export async function listEnrolmentsOfUser(
  ctx: TenantContext,
  input: PageQuery & Order & { LoginID: string },
) {
  if (!(await userOf(ctx, input.LoginID).executeTakeFirst())) throw userNotFound();
  return listEnrolments(ctx, input);
}

/**
 * Filtered enrolments. With `ChangedAfter` they are ordered by their last change, with `ExpiresAfter` or
 * `ExpiresBefore` by their end. Each branch uses one index; a page merges their first rows.
 */
export async function listEnrolments(ctx: TenantContext, input: EnrolmentFilter) {
  if (input.DurationID !== undefined && input.CourseID === undefined)
    throw new Problem(
      'validation_failed',
      'DurationID is unique only within its course. Send CourseID as well.',
      {
        param: 'CourseID',
      },
    );
  const limit = pageLimit(input);
  const clock = clockOf(input);
  const after = readPlace(readCursor(input), clock);
  const [branch, ...others] = branchesOf(ctx, input).map((query) =>
    ordered(placed(filtered(ctx, query, input), clock, after, input), clock, input).limit(limit + 1),
  );
  if (!branch) throw new Error('A list has at least one branch.');
  const wrapped = (query: Query) => ctx.db.selectFrom(query.as('branch')).selectAll('branch');
  const merged = others.reduce((all, other) => all.unionAll(wrapped(other)), wrapped(branch));
  const direction = input.Order === 'newest' ? 'desc' : 'asc';
  const rows =
    others.length === 0
      ? await branch.execute()
      : await ctx.db
          .selectFrom(merged.as('page'))
          .selectAll()
          .$if(clock !== null, (query) => query.orderBy(clock ?? 'enroll_id', direction))
          .orderBy('enroll_id', direction)
          .limit(limit + 1)
          .execute();
  return toPage(
    rows,
    limit,
    (row) => keyOf(row, clock),
    (row) => toEnrolment(ctx, row),
  );
}

function clockOf(input: EnrolmentFilter): Clock {
  if (input.ChangedAfter !== undefined) return 'changed_at';
  return input.ExpiresAfter !== undefined || input.ExpiresBefore !== undefined ? 'expires_at' : null;
}

const openStatuses = statuses.filter(
  (status) => nextStatus({ status, status_before_end: null, started_at: null }, 'expire') !== status,
);

/**
 * The current status, as equalities that an index can serve. Overdue enrolments have ended since the job last
 * ran: there are few, so they are found by their end and sorted.
 */
function branchesOf(ctx: TenantContext, input: EnrolmentFilter): Query[] {
  const { Status } = input;
  const now = ctx.now();
  const noted = (status: Status) => selectEnrolments(ctx).where('enrolment.status', '=', sql.lit(status));
  if (Status === undefined) return followsCourse(input) ? statuses.map(noted) : [selectEnrolments(ctx)];
  if (openStatuses.includes(Status))
    return [
      noted(Status).where((where) =>
        where.or([where('enrolment.expires_at', 'is', null), where('enrolment.expires_at', '>', now)]),
      ),
    ];
  if (Status !== 'expired') return [noted(Status)];
  const due = ctx.db
    .selectFrom('enrolment as due')
    .select('due.enroll_id')
    .where('due.tenant_id', '=', ctx.tenantId)
    .where('due.ended_at', 'is', null)
    .where('due.expires_at', '<=', now)
    .orderBy('due.expires_at');
  const overdue = selectEnrolments(ctx)
    .where(
      'enrolment.status',
      'in',
      openStatuses.map((status) => sql.lit(status)),
    )
    .where('enrolment.enroll_id', '=', sql<string>`any(array(${due}))`);
  return [noted(Status), overdue];
}

/** The index of a course's enrolments has the status before EnrollID. */
function followsCourse(input: EnrolmentFilter): boolean {
  const { CourseID, DurationID, LoginID, GroupName } = input;
  return (
    CourseID !== undefined &&
    [DurationID, LoginID, GroupName, clockOf(input) ?? undefined].every((value) => value === undefined)
  );
}

function filtered(ctx: TenantContext, all: Query, input: EnrolmentFilter): Query {
  let query = all;
  if (input.LoginID !== undefined) query = query.where('enrolment.user_id', '=', userOf(ctx, input.LoginID));
  if (input.CourseID !== undefined) query = query.where('enrolment.course_id', '=', input.CourseID);
  if (input.DurationID !== undefined) query = query.where('enrolment.duration_id', '=', input.DurationID);
  if (input.GroupName !== undefined) query = query.where('enrolment.group_name', '=', input.GroupName);
  if (input.ChangedAfter !== undefined)
    query = query.where('enrolment.changed_at', '>', new Date(input.ChangedAfter));
  if (input.ExpiresAfter === undefined && input.ExpiresBefore === undefined) return query;
  const from = Math.max(ctx.now().getTime(), new Date(input.ExpiresAfter ?? 0).getTime());
  query = query.where('enrolment.ended_at', 'is', null).where('enrolment.expires_at', '>', new Date(from));
  if (input.ExpiresBefore === undefined) return query;
  return query.where('enrolment.expires_at', '<', new Date(input.ExpiresBefore));
}

function placed(query: Query, clock: Clock, after: Place | null, { Order }: Order): Query {
  if (after === null) return query;
  const beyond = Order === 'newest' ? '<' : '>';
  if (clock === null || after.at === null) return query.where('enrolment.enroll_id', beyond, after.id);
  const place = after.at;
  return query.where((where) =>
    where(where.refTuple(`enrolment.${clock}`, 'enrolment.enroll_id'), beyond, where.tuple(place, after.id)),
  );
}

function ordered(query: Query, clock: Clock, { Order }: Order): Query {
  const direction = Order === 'newest' ? 'desc' : 'asc';
  const byClock = clock === null ? query : query.orderBy(`enrolment.${clock}`, direction);
  return byClock.orderBy('enrolment.enroll_id', direction);
}

function keyOf(row: EnrolmentWithNames, clock: Clock): string {
  return clock === null ? row.enroll_id : `${row[clock]?.toISOString()} ${row.enroll_id}`;
}

function readPlace(cursor: string | null, clock: Clock): Place | null {
  if (cursor === null) return null;
  const [id, at] = cursor.split(' ').reverse();
  if (!id || !isId(id) || (at === undefined) !== (clock === null)) throw foreignCursor();
  if (at === undefined) return { at: null, id };
  if (!isInstant(at)) throw foreignCursor();
  return { at: new Date(at), id };
}
