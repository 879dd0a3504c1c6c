import { foreignCursor, type Order, type PageQuery, page, readCursor } from '../../http/pagination.ts';
import { coalesceReads, wantedRows } from '../../infra/calls/queue.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { requireScope } from '../../infra/context/scopes.ts';
import { invalid } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { isInstant, toSqlBound } from '../../lib/instants.ts';
import { startOfDay } from '../tenants/time-zone.ts';
import { findUserId, userNotFound } from '../users/users.ts';
import type { Paths } from './history/explain-enrolment.ts';
import {
  conditionsOf,
  type EnrolmentFilter,
  enrolmentsOfGroup,
  type SortColumn,
  sortColumnOf,
} from './record/list-filter.ts';
import {
  type EnrolmentWithNames,
  enrolmentNotFound,
  type ListedRow,
  toEnrolment,
  toListed,
} from './record/record.ts';
import type { Enrolment, ListedEnrolment } from './record/schemas.ts';
import { type Status, statuses } from './record/states.ts';

type Wanted = { loginId: string; enrollId: string };

const text = `
select wanted.n, enrolment.*, known.login_id, known.user_time_factor, course.title as course_title,
  course.is_path
from ${wantedRows('enroll_id uuid, login_id text')}
cross join lateral (
  select own.* from enrolment own where own.tenant_id = $1 and own.enroll_id = wanted.enroll_id limit 1
) enrolment
cross join lateral (
  select own.login_id, own.time_factor as user_time_factor from "user" own
  where own.tenant_id = $1 and own.user_id = enrolment.user_id limit 1
) known
cross join lateral (
  select own.title, own.path is not null as is_path from course own where own.course_id = enrolment.course_id limit 1
) course
where known.login_id = wanted.login_id`;

const readRow = coalesceReads<Wanted, EnrolmentWithNames & { is_path: boolean }>({
  name: 'read_enrolments',
  text,
  item: ({ enrollId, loginId }) => ({ enroll_id: enrollId, login_id: loginId }),
});

export async function readEnrolment(
  ctx: TenantContext,
  input: Wanted,
  paths?: Pick<Paths, 'follow'>,
): Promise<Enrolment> {
  let row = isId(input.enrollId) ? await readRow(ctx, input) : null;
  const isOfPath = row !== null && (row.is_path || row.path_enroll_id !== null);
  if (isOfPath && (await paths?.follow(ctx, input.enrollId))) row = await readRow(ctx, input);
  if (!row) throw enrolmentNotFound();
  return toEnrolment(ctx, row);
}

/** The last row of the previous page: its time or status, if the list is sorted by one, and its ID. */
type ListPosition = { at: Date | Status | null; id: string };

/** SQL that adds the names shown in the record to the rows of `page`. */
const withNames = (page: string) => `
select held.*, known.login_id, known.first_name, known.last_name, known.email, known.time_factor as user_time_factor, course.title as course_title from (${page}) held
left join "user" known on known.tenant_id = $1 and known.user_id = held.user_id
left join course on course.course_id = held.course_id`;

type ListInput = EnrolmentFilter & { Count?: boolean; Include?: 'LaunchURL' };

export async function listEnrolmentsOfUser(
  ctx: TenantContext,
  input: Pick<ListInput, 'Include'> & PageQuery & Order & { LoginID: string },
) {
  if ((await findUserId(ctx, input.LoginID)) === null) throw userNotFound();
  return listEnrolments(ctx, input);
}

/** Rejects filters that do not go together, and a search by a key that cannot read users. */
function checkCombination(ctx: TenantContext, input: ListInput): void {
  if (input.DurationID !== undefined && input.CourseID === undefined)
    throw invalid('CourseID', 'DurationID is unique only within its course. Send CourseID as well.');
  // Otherwise, keys that can only read enrolments could guess names and email addresses.
  if (input.Search !== undefined) requireScope(ctx, 'users:read', 'Search');
  if (input.Include) requireScope(ctx, 'enrolments:launch', `Include=${input.Include}`);
  const isByTime = [input.ChangedAfter, input.ExpiresAfter, input.ExpiresBefore, input.DueBefore].some(
    (one) => one !== undefined,
  );
  if (isByTime && sortColumnOf(input) === 'status')
    throw invalid(
      'Order',
      'ChangedAfter, DueBefore, ExpiresAfter and ExpiresBefore have their own order. Leave them out, or send oldest or newest as Order.',
    );
  const isByOther = [input.ChangedAfter, input.ExpiresAfter, input.ExpiresBefore].some(
    (one) => one !== undefined,
  );
  if (isByOther && sortColumnOf(input) === 'due_at')
    throw invalid(
      input.DueBefore === undefined ? 'Order' : 'DueBefore',
      'Enrolments that are ordered by DueAt cannot be filtered by ChangedAfter, ExpiresAfter or ExpiresBefore. Leave these out, or DueBefore and Order.',
    );
}

/**
 * Lists filtered enrolments. `ChangedAfter` orders them by their last change, `DueBefore` by their due date, `ExpiresAfter`
 * and `ExpiresBefore` by their end date.
 */
export async function listEnrolments(ctx: TenantContext, sent: ListInput) {
  checkCombination(ctx, sent);
  const input = { ...sent };
  if (sent.DueBefore !== undefined)
    input.DueBefore = (await startOfDay(ctx, sent.DueBefore, 'DueBefore')).toISOString();
  const sortColumn = sortColumnOf(input);
  const after = readPosition(readCursor(input), sortColumn);
  return page<ListedRow, ListedEnrolment>(
    ctx,
    input,
    {
      ...enrolmentsOfGroup(ctx.tenantId, input.GroupName),
      where: conditionsOf(input, tenantNow(ctx)),
      key: sortColumn === null ? ['enroll_id'] : [sortColumn, 'enroll_id'],
      after: after && positionSql(after),
      newest: input.Order === 'newest' || input.Order === 'status_descending',
      show: withNames,
    },
    (row) => keyOf(row, sortColumn),
    (row) => toListed(ctx, row, input),
  );
}

function readPosition(cursor: string | null, sortColumn: SortColumn): ListPosition | null {
  if (cursor === null) return null;
  const [id, at] = cursor.split(' ').reverse();
  if (!id || !isId(id) || (at === undefined) !== (sortColumn === null)) throw foreignCursor();
  if (at === undefined) return { at: null, id };
  if (sortColumn === 'status') {
    const status = statuses.find((one) => one === at);
    if (!status) throw foreignCursor();
    return { at: status, id };
  }
  if (!isInstant(at)) throw foreignCursor();
  return { at: new Date(at), id };
}

function positionSql({ at, id }: ListPosition): unknown[] {
  if (at === null) return [id];
  return [at instanceof Date ? toSqlBound(at) : at, id];
}

function keyOf(row: ListedRow, sortColumn: SortColumn): string {
  if (sortColumn === 'status') return `${row.status} ${row.enroll_id}`;
  return sortColumn === null ? row.enroll_id : `${row[sortColumn]?.toISOString()} ${row.enroll_id}`;
}
