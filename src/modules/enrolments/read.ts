import { sql } from 'kysely';
import type { TenantContext } from '../../platform/context.ts';
import { isId } from '../../platform/ids.ts';
import { isInstant } from '../../platform/instants.ts';
import { foreignCursor, type PageQuery, pageLimit, readCursor, toPage } from '../../platform/pagination.ts';
import { userNotFound } from '../users/users.ts';
import { type EnrolmentWithNames, selectEnrolments, toEnrolment } from './record.ts';
import { type Status, statusAtSql } from './states.ts';

export type EnrolmentFilter = PageQuery & {
  LoginID?: string;
  CourseID?: string;
  Status?: Status;
  GroupName?: string;
  ChangedAfter?: string;
};

/** A user's enrolments, oldest first. */
export async function listEnrolmentsOfUser(ctx: TenantContext, input: PageQuery & { LoginID: string }) {
  const user = await ctx.db
    .selectFrom('user')
    .select('user_id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('login_id', '=', input.LoginID)
    .executeTakeFirst();
  if (!user) throw userNotFound();
  return listEnrolments(ctx, input);
}

/** Filtered enrolments, oldest first; with `ChangedAfter` in the order of their last change. */
export async function listEnrolments(ctx: TenantContext, input: EnrolmentFilter) {
  const limit = pageLimit(input);
  const after = readCursor(input);
  let query = selectEnrolments(ctx);
  if (input.LoginID !== undefined) query = query.where('user.login_id', '=', input.LoginID);
  if (input.CourseID !== undefined) query = query.where('enrolment.course_id', '=', input.CourseID);
  if (input.GroupName !== undefined) query = query.where('user.group_name', '=', input.GroupName);
  if (input.Status !== undefined) query = query.where(statusNow(ctx.now()), '=', input.Status);
  if (input.ChangedAfter !== undefined) {
    const [at, id] = after === null ? [input.ChangedAfter, lastId] : changeCursor(after);
    query = query
      .where((where) =>
        where(
          where.refTuple('enrolment.changed_at', 'enrolment.enroll_id'),
          '>',
          where.tuple(new Date(at), id),
        ),
      )
      .orderBy('enrolment.changed_at');
  } else if (after !== null) {
    if (!isId(after)) throw foreignCursor();
    query = query.where('enrolment.enroll_id', '>', after);
  }
  const rows = await query
    .orderBy('enrolment.enroll_id')
    .limit(limit + 1)
    .execute();
  return toPage(
    rows,
    limit,
    (row) => (input.ChangedAfter === undefined ? row.enroll_id : changeKey(row)),
    (row) => toEnrolment(ctx, row),
  );
}

/** Sorts behind every id, so that `ChangedAfter` leaves out its own instant. */
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

function statusNow(now: Date) {
  const [before, after] = statusAtSql('enrolment', '\0').split('\0');
  return sql<string>`${sql.raw(before ?? '')}${now}${sql.raw(after ?? '')}`;
}

function changeKey(row: EnrolmentWithNames): string {
  return `${row.changed_at.toISOString()} ${row.enroll_id}`;
}

function changeCursor(text: string): [string, string] {
  const [at, id] = text.split(' ');
  if (at && id && isId(id) && isInstant(at)) return [at, id];
  throw foreignCursor();
}
