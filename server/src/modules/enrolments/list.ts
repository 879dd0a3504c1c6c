import { tenantNow } from '../../platform/clocks.ts';
import type { TenantContext } from '../../platform/context.ts';
import { countRows } from '../../platform/db/list-count.ts';
import { type List, maxScanned, scanRows } from '../../platform/db/list-scan.ts';
import { Problem } from '../../platform/errors.ts';
import {
  foreignCursor,
  type Order,
  type PageQuery,
  pageLimit,
  readCursor,
  toPage,
  withCount,
} from '../../platform/http/pagination.ts';
import { isId } from '../../platform/ids.ts';
import { isInstant, toSqlBound } from '../../platform/instants.ts';
import { requireScope } from '../../platform/scopes.ts';
import { type FindLimits, findMatchingUsers } from '../users/find-matching.ts';
import { findUserId, userNotFound } from '../users/users.ts';
import {
  accessPathsOf,
  type EnrolmentFilter,
  filterSql,
  isOfOneUser,
  type SortColumn,
  sortColumnOf,
} from './list-filter.ts';
import { countOfUsers, readOfUsers } from './of-users.ts';
import { type EnrolmentWithNames, toEnrolment } from './record.ts';
import { type Status, statuses } from './states.ts';

/** The last row of the previous page: its time or status, if the list is sorted by one, and its ID. */
type ListPosition = { at: Date | Status | null; id: string };

/** Begins the cursor of a search that checks each row's user, so that the next page does not look for the users again. */
const ofMany = 'many ';

const usual: FindLimits = { maxUsers: 1_000, maxStatements: 10 };
const most: FindLimits = { maxUsers: 3_000, maxStatements: 30 };
/** Reading the enrolments of so many users takes as long as about six statements that check rows. */
const checksWorthMost = 6;

/** A search that checks each row also looks up its user, so a statement checks fewer rows than other lists visit. */
const maxChecked = 1_000;

/** SQL that adds the names shown in the record to the rows of `page`. */
const withNames = (page: string) => `
select held.*, known.login_id, course.title as course_title from (${page}) held
left join "user" known on known.tenant_id = $1 and known.user_id = held.user_id
left join course on course.course_id = held.course_id`;

export async function listEnrolmentsOfUser(
  ctx: TenantContext,
  input: PageQuery & Order & { LoginID: string },
) {
  if ((await findUserId(ctx, input.LoginID)) === null) throw userNotFound();
  return listEnrolments(ctx, input);
}

/** Rejects filters that do not go together, and a search by a key that cannot read users. */
function checkCombination(ctx: TenantContext, input: EnrolmentFilter): void {
  if (input.DurationID !== undefined && input.CourseID === undefined)
    throw new Problem(
      'validation_failed',
      'DurationID is unique only within its course. Send CourseID as well.',
      {
        param: 'CourseID',
      },
    );
  // Otherwise, keys that can only read enrolments could guess names and email addresses.
  if (input.Search !== undefined) requireScope(ctx, 'users:read', 'Search');
  const isByTime = [input.ChangedAfter, input.ExpiresAfter, input.ExpiresBefore].some(
    (one) => one !== undefined,
  );
  if (isByTime && sortColumnOf(input) === 'status')
    throw new Problem(
      'validation_failed',
      'ChangedAfter, ExpiresAfter and ExpiresBefore have their own order. Leave them out, or send oldest or newest as Order.',
      { param: 'Order' },
    );
}

/**
 * Lists filtered enrolments. `ChangedAfter` orders them by their last change, `ExpiresAfter` and
 * `ExpiresBefore` by their end date.
 */
export async function listEnrolments(ctx: TenantContext, input: EnrolmentFilter & { Count?: boolean }) {
  checkCombination(ctx, input);
  const limit = pageLimit(input);
  const sortColumn = sortColumnOf(input);
  const cursor = readCursor(input);
  const isOfMany = input.Search !== undefined && cursor?.startsWith(ofMany) === true;
  const after = readPosition(isOfMany ? cursor.slice(ofMany.length) : cursor, sortColumn);
  const now = tenantNow(ctx);
  const overdue = input.Status === 'expired' ? await readOverdue(ctx) : null;
  const list: List = {
    rows: 'enrolment held where held.tenant_id = $1',
    values: [ctx.tenantId],
    key: sortColumn === null ? ['enroll_id'] : [sortColumn, 'enroll_id'],
    after: after && positionSql(after),
    newest: input.Order === 'newest' || input.Order === 'status_descending',
    accessPaths: accessPathsOf(input, { now, overdue }),
    filter: (parameters) => filterSql(input, { now, overdue }, parameters),
    show: withNames,
    wanted: limit,
    ...(input.Search === undefined ? {} : { maxScanned: maxChecked }),
  };
  const page = (rows: EnrolmentWithNames[], end: EnrolmentWithNames | null, before = '') =>
    toPage(
      rows,
      limit,
      (row) => before + keyOf(row, sortColumn),
      (row) => toEnrolment(ctx, row),
      end,
    );
  const readRows = async () => {
    const { rows, end } = await scanRows<EnrolmentWithNames>(ctx, list);
    return page(rows, end, input.Search === undefined ? '' : ofMany);
  };
  const { Search, ...others } = input;
  if (Search === undefined || isOfMany || isOfOneUser(input))
    return withCount(input, await readRows(), () => countRows(ctx, list));
  const filter: List['filter'] = (parameters) => filterSql(others, { now, overdue }, parameters);
  const ofUsers = { ...list, filter, maxScanned };
  /** Finds the users first; null if they or their enrolments are too many. */
  const readByUser = async (limits: FindLimits) => {
    const users = await findMatchingUsers(ctx, Search, limits);
    const rows = users && (await readOfUsers(ctx, ofUsers, users));
    const count = async () => (users && (await countOfUsers(ctx, ofUsers, users))) ?? countRows(ctx, list);
    return rows && withCount(input, page(rows, null), count);
  };
  const byUser = await readByUser(usual);
  if (byUser) return byUser;
  const checked = await readRows();
  const isSparse = checked.isPartial && checked.Items.length * checksWorthMost < limit;
  return (isSparse && (await readByUser(most))) || withCount(input, checked, () => countRows(ctx, list));
}

/**
 * Reads the enrolments that have become overdue since the job last ran. There are usually few. If
 * the job has fallen behind, reads only the earliest, up to the number that a statement may visit.
 */
async function readOverdue(ctx: TenantContext): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('enrolment')
    .select('enroll_id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('ended_at', 'is', null)
    .where('expires_at', '<=', tenantNow(ctx))
    .orderBy('expires_at')
    .limit(maxScanned)
    .execute();
  return rows.map(({ enroll_id }) => enroll_id);
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

function keyOf(row: EnrolmentWithNames, sortColumn: SortColumn): string {
  if (sortColumn === 'status') return `${row.status} ${row.enroll_id}`;
  return sortColumn === null ? row.enroll_id : `${row[sortColumn]?.toISOString()} ${row.enroll_id}`;
}
