import { tenantNow } from '../../../platform/clocks.ts';
import type { TenantContext } from '../../../platform/context.ts';
import { run } from '../../../platform/db/transaction.ts';

/** More users may share an address. They get no email either, but are not marked. */
const maxUsers = 200;

/** SQL: the users of the tenant $1 with this address, in the order in which other changes lock them. */
export const withAddress = (address: string) => `
  select account.user_id, account.login_id from "user" account
  where account.tenant_id = $1 and account.email is not null
    and lower(account.email) collate "C" = lower(${address}) collate "C"
  order by account.login_id limit ${maxUsers}`;

const mark = `
with known as (${withAddress('$2')} for no key update), marked as (
  update "user" own set email_bounced_at = $3, email_bounce_reason = $4, updated_at = $5 from known
  where own.tenant_id = $1 and own.user_id = known.user_id and own.email_bounced_at is null and not $6::boolean
  returning own.user_id
)
select known.user_id, known.login_id, marked.user_id is not null as is_new
from known left join marked on marked.user_id = known.user_id`;

export type MarkedUser = { user_id: string; login_id: string; is_new: boolean };

/**
 * Marks all users with this address, unless the bounce is known. `is_new` is false for those who were not marked now.
 */
export function markUsers(
  ctx: TenantContext,
  { address, at, reason, isKnown }: { address: string; at: Date; reason: string | null; isKnown: boolean },
): Promise<MarkedUser[]> {
  const values = [ctx.tenantId, address, at, reason, tenantNow(ctx), isKnown];
  return run<MarkedUser>(ctx, { name: 'mark_bounced_users', text: mark, values });
}
