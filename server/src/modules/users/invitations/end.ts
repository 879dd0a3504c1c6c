import type { TenantContext } from '../../../platform/context.ts';
import { cancelMails } from '../../mail/queue.ts';

/** Ends a pending invitation: on request, after a new password or email address, or because the user was disabled. */
export async function endInvitation(ctx: TenantContext, userId: string): Promise<boolean> {
  const [ended] = await ctx.db
    .updateTable('invitation')
    .set({ revoked_at: ctx.now() })
    .where('tenant_id', '=', ctx.tenantId)
    .where('user_id', '=', userId)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .returning('invitation_id')
    .execute();
  // The email of an accepted invitation is cancelled too: its link may have been used before the email was sent.
  await cancelMails(ctx, { userIds: [userId], kind: 'invitation' });
  return ended !== undefined;
}
