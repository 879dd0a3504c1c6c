import type { TenantContext } from '../../../platform/context.ts';
import { cancelMails } from '../../mail/queue.ts';

/** Ends all links: after a new password or another email address, or because the user was disabled. */
export async function endResets(ctx: TenantContext, userId: string): Promise<void> {
  const ended = await ctx.db
    .deleteFrom('password_reset')
    .where('tenant_id', '=', ctx.tenantId)
    .where('user_id', '=', userId)
    .returning('user_id')
    .execute();
  if (ended.length > 0) await cancelMails(ctx, { userIds: [userId], kind: 'password_reset' });
}
