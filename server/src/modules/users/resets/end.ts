import type { TenantContext } from '../../../platform/context.ts';
import { run } from '../../../platform/db/transaction.ts';
import { cancelMails } from '../../mail/queue.ts';

const end = `
delete from password_reset where password_reset.tenant_id = $1 and password_reset.user_id = any($2::uuid[]) returning password_reset.user_id`;

/** Ends all links of users who have a new password or email address, or who were disabled. */
export async function endResets(ctx: TenantContext, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return;
  const values = [ctx.tenantId, userIds];
  const ended = await run<{ user_id: string }>(ctx, { name: 'end_resets', text: end, values });
  if (ended.length > 0)
    await cancelMails(ctx, { userIds: ended.map(({ user_id }) => user_id), kind: 'password_reset' });
}
