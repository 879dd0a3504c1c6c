import { ownRows, updateOwn } from '../../db/own-rows.ts';
import { transaction } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { audit } from '../audit/chain.ts';
import { appendEvents } from '../events/append.ts';
import { knownTenant } from '../tenants/tenants.ts';
import { mailAccountChange } from './account-mails.ts';
import { limitWithPassword, sessionLimit } from './administrators.ts';
import { endInvitations, endResets } from './end-links.ts';
import { isUsablePassword, pageFunction, readPassword, storePassword } from './passwords.ts';
import type { NewPassword } from './schemas.ts';
import { findUserId, userNotFound } from './users.ts';

type Choice = {
  userId: string;
  passwordHash: string;
  /** The session that stays open. The user's other sessions end. */
  sessionId: string | null;
  /** The scopes of the inviter or administrator; `undefined` if the user changes or resets their own password. */
  limit?: readonly string[] | null;
  /** false: the user is not told. */
  notify?: boolean;
};

/** Stores a password that was chosen on a page of this service. Call it in a transaction. */
export async function storeChosenPassword(ctx: TenantContext, choice: Choice): Promise<void> {
  const { userId, passwordHash, sessionId, limit, notify = true } = choice;
  const before = await ownRows(ctx, 'user', { user_id: userId })
    .select(['login_id', 'is_admin', 'admin_scopes', 'password_hash', 'password_chosen'])
    .forUpdate()
    .executeTakeFirst();
  if (!before) throw userNotFound();
  await updateOwn(ctx, 'user', { user_id: userId })
    .set({
      password_hash: passwordHash,
      password_chosen: true,
      password_changed_at: ctx.now(),
      password_changed_in: sessionId,
      ...(limit !== undefined && { admin_scopes: limitWithPassword(before, limit) }),
      updated_at: tenantNow(ctx),
    })
    .execute();
  await endInvitations(ctx, [userId]);
  await endResets(ctx, [userId]);
  const declared = (await knownTenant.get(ctx, ctx.tenantId))?.PasswordHash ?? 'opaque';
  // The first password is no surprise to a user who was invited.
  if (notify && isUsablePassword(before, declared))
    await mailAccountChange(ctx, { userId, kind: 'password_changed', isOwn: ctx.actor.userId === userId });
  const data = { LoginID: before.login_id, Changed: ['Password'] };
  await appendEvents(ctx, [{ type: 'user.updated', userId, data }]);
  await audit(ctx, 'user.access_changed', userId, { Password: true });
}

/** Sets a password with which the user can sign in to our own pages. Their sessions end, except the caller's own. */
export async function setPassword(
  ctx: TenantContext,
  input: NewPassword & { loginId: string },
): Promise<void> {
  const declared = (await knownTenant.get(ctx, ctx.tenantId))?.PasswordHash ?? 'opaque';
  const password = readPassword(input.Password, pageFunction(declared));
  if ((await findUserId(ctx, input.loginId)) === null) throw userNotFound();
  const passwordHash = await storePassword(ctx, password);
  const limit = sessionLimit(ctx);
  await transaction(ctx, async (ctx) => {
    const userId = await findUserId(ctx, input.loginId);
    if (userId === null) throw userNotFound();
    const sessionId = ctx.actor.userId === userId ? ctx.actor.id : null;
    const notify = input.Notify ?? true;
    await storeChosenPassword(ctx, { userId, passwordHash, sessionId, limit, notify });
  });
}
