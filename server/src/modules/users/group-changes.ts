import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { partOfState } from '../../platform/node-state.ts';

/**
 * A change of a user's group also changes all of that user's enrolments. Other requests wait for the
 * transaction, so one transaction changes the group of only one user, or of several users with at most this
 * many enrolments in total.
 */
const maxEnrolments = 5_000;

/** The group changes in one transaction. */
export type GroupChanges = {
  /** How many enrolments these changes affect. */
  enrolments: number;
  /** The LoginIDs whose requests have to wait for another transaction, so that they run in order. */
  postponed: Set<string>;
};

export const noGroupChanges = (): GroupChanges => ({ enrolments: 0, postponed: new Set() });

/** Each shared transaction and each dry run has its own `ctx.state`. */
export const groupChangesInTransaction = partOfState('group_changes_in_transaction', noGroupChanges);

const countEnrolments = `
select user_id, count(*)::integer as enrolments from (
  select user_id from enrolment where tenant_id = $1 and user_id = any($2::uuid[]) order by user_id limit $3
) counted group by user_id order by user_id`;

type Counted = { user_id: string; enrolments: number };

/**
 * Adds the group changes of the given users, and postpones the changes that do not fit into the transaction.
 * The users must be locked.
 */
export async function addGroupChanges(
  ctx: TenantContext,
  users: readonly { user_id: string; login_id: string }[],
  done: GroupChanges,
): Promise<void> {
  if (users.length === 0) return;
  const room = Math.max(maxEnrolments - done.enrolments, 0);
  const values = [ctx.tenantId, users.map(({ user_id }) => user_id), room + 1];
  const counted = await run<Counted>(ctx, { name: 'count_enrolments', text: countEnrolments, values });
  const last = counted.at(-1);
  const total = counted.reduce((sum, { enrolments }) => sum + enrolments, 0);
  done.enrolments += total;
  if (!last || total <= room) return;
  // The count stopped at this user, so it includes no later users and perhaps not all of this user's
  // enrolments.
  const isAlone = counted.length === 1 && done.enrolments === total;
  for (const { user_id, login_id } of users)
    if (user_id > last.user_id || (user_id === last.user_id && !isAlone)) done.postponed.add(login_id);
}
