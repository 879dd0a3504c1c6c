import { tenantNow } from '../../../platform/clocks.ts';
import type { TenantContext } from '../../../platform/context.ts';
import { readByIndex } from '../../../platform/db/batches.ts';
import { run } from '../../../platform/db/transaction.ts';
import { foldCase } from '../../../platform/unicode.ts';

/** More users may share an address. They get no email either, but are not marked. */
const maxUsers = 200;

/** SQL: the users of the tenant $1 with this folded address, in the order in which other changes lock them. */
export const withAddress = (address: string) => `
  select account.user_id, account.login_id from "user" account
  where account.tenant_id = $1 and account.folded_email = ${address}
  order by account.login_id limit ${maxUsers}`;

const lock = { name: 'lock_users_with_address', text: `${withAddress('$2')} for no key update` };

/**
 * The users are locked by a statement of their own. Statements that both lock and update users deadlocked with each other
 * while these users were being enrolled.
 */
const mark = {
  name: 'mark_bounced_users',
  text: `
update "user" own set email_bounced_at = $3, email_bounce_reason = $4, updated_at = $5
where own.tenant_id = $1 and own.user_id = any($2::uuid[]) and own.email_bounced_at is null
returning own.user_id`,
};

type Found = { user_id: string; login_id: string };

export type MarkedUser = Found & { is_new: boolean };

/**
 * Marks all users with this address, unless the bounce is known. `is_new` is false for those who were not marked now.
 */
export async function markUsers(
  ctx: TenantContext,
  { address, at, reason, isKnown }: { address: string; at: Date; reason: string | null; isKnown: boolean },
): Promise<MarkedUser[]> {
  const known = await run<Found>(ctx, { ...lock, values: [ctx.tenantId, foldCase(address)] });
  if (isKnown || known.length === 0) return known.map((user) => ({ ...user, is_new: false }));
  const values = [ctx.tenantId, known.map(({ user_id }) => user_id), at, reason, tenantNow(ctx)];
  // In a small table, PostgreSQL would read all users.
  await readByIndex(ctx);
  const marked = await run<{ user_id: string }>(ctx, { ...mark, values });
  const isNew = new Set(marked.map(({ user_id }) => user_id));
  return known.map((user) => ({ ...user, is_new: isNew.has(user.user_id) }));
}
