import type { TenantContext } from '../../platform/context.ts';
import { countFew, type RecordCount } from '../../platform/db/list-count.ts';
import { type List, maxScanned, mergeRows, readFew } from '../../platform/db/list-scan.ts';
import type { PathOf } from './list-filter.ts';
import type { EnrolmentWithNames } from './record.ts';

/** Reads the enrolments of each user in turn. With a condition on all users, the planner may scan the table. */
const pathOfUsers =
  (users: readonly string[]): PathOf =>
  ({ add }) => ({
    rows: `unnest(${add(users)}::uuid[]) sought (user_id) cross join lateral (
      select own.* from enrolment own where own.tenant_id = $1 and own.user_id = sought.user_id
      order by own.enroll_id limit ${maxScanned}) held where held.tenant_id = $1`,
    ranges: ['true'],
    order: '',
  });

/** With four enrolments each, these users have as many as a statement visits. */
const usersAtOnce = 500;
const maxStatements = 20;

/**
 * Reads the enrolments of some users at a time, and of fewer if `read` finds that they have too many enrolments for one
 * statement. Returns null if this takes too many statements.
 */
async function readInGroups<Result>(
  users: readonly string[],
  read: (pathOf: PathOf) => Promise<Result | null>,
): Promise<Result[] | null> {
  const results: Result[] = [];
  let atOnce = usersAtOnce;
  let position = 0;
  for (let n = 0; position < users.length; n++) {
    if (n === maxStatements || atOnce === 0) return null;
    const result = await read(pathOfUsers(users.slice(position, position + atOnce)));
    if (result === null) atOnce = Math.floor(atOnce / 2);
    else {
      results.push(result);
      position += atOnce;
    }
  }
  return results;
}

/** The next rows of a list that belong to these users; null if they have too many enrolments. */
export async function readOfUsers(ctx: TenantContext, list: List, users: readonly string[]) {
  const reads = await readInGroups(users, (pathOf) => readFew<EnrolmentWithNames>(ctx, list, pathOf));
  return reads && mergeRows(list, reads);
}

/** The number of rows of a list that belong to these users; null if they have too many enrolments. */
export async function countOfUsers(
  ctx: TenantContext,
  list: List,
  users: readonly string[],
): Promise<RecordCount | null> {
  const counts = await readInGroups(users, (pathOf) => countFew(ctx, list, pathOf));
  return counts && { Records: counts.reduce((sum, count) => sum + count, 0), More: false };
}
