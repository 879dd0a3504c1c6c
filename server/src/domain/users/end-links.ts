import { run } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { cancelMails } from '../mail/queue.ts';

const endInvitationsText = `
update invitation set revoked_at = $3
where invitation.tenant_id = $1 and invitation.user_id = any($2::uuid[]) and invitation.accepted_at is null and invitation.revoked_at is null
returning invitation.user_id`;

/**
 * Ends the pending invitations of these users: on request, after a new password or email address,
 * or because the user was disabled. Returns the users whose invitations have ended.
 */
export async function endInvitations(ctx: TenantContext, userIds: readonly string[]): Promise<string[]> {
  if (userIds.length === 0) return [];
  const ended = await run<{ user_id: string }>(ctx, endInvitationsText, [ctx.tenantId, userIds, ctx.now()]);
  // The emails of accepted invitations are cancelled too: a link may have been used before the email was sent.
  await cancelMails(ctx, { userIds, kind: 'invitation' });
  return ended.map(({ user_id }) => user_id);
}

const endResetsText = `
delete from password_reset where password_reset.tenant_id = $1 and password_reset.user_id = any($2::uuid[]) returning password_reset.user_id`;

/** Ends all links of users who have a new password or email address, or who were disabled. */
export async function endResets(ctx: TenantContext, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return;
  const ended = await run<{ user_id: string }>(ctx, endResetsText, [ctx.tenantId, userIds]);
  if (ended.length > 0)
    await cancelMails(ctx, { userIds: ended.map(({ user_id }) => user_id), kind: 'password_reset' });
}
