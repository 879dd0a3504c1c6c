import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';

/**
 * A change of a user's group also changes all of that user's enrolments. Other requests wait for the
 * transaction, so one transaction changes the group of only one user, or of several users with at most this
 * many enrolments in total.
 */
const maxEnrolments = 5_000;

const countEnrolments = `
select user_id, count(*)::integer as enrolments from (
  select user_id from enrolment where tenant_id = $1 and user_id = any($2::uuid[]) order by user_id limit $3
) counted group by user_id order by user_id`;

type Counted = { user_id: string; enrolments: number };

/**
 * The LoginIDs of the users whose change of group does not fit into the transaction. The users must be locked. Never
 * returns all of them.
 */
export async function changesBeyondLimit(
  ctx: TenantContext,
  users: readonly { user_id: string; login_id: string }[],
): Promise<Set<string>> {
  if (users.length < 2) return new Set();
  const values = [ctx.tenantId, users.map(({ user_id }) => user_id), maxEnrolments + 1];
  const counted = await run<Counted>(ctx, { name: 'count_enrolments', text: countEnrolments, values });
  const last = counted.at(-1);
  const total = counted.reduce((sum, { enrolments }) => sum + enrolments, 0);
  if (!last || total <= maxEnrolments) return new Set();
  // The count stopped at this user, so it includes no later users and perhaps not all of this user's
  // enrolments.
  const isAlone = counted.length === 1;
  const beyond = users.filter(
    ({ user_id }) => user_id > last.user_id || (user_id === last.user_id && !isAlone),
  );
  return new Set(beyond.map(({ login_id }) => login_id));
}
