import { ownRows, updateOwn } from '../../db/own-rows.ts';
import type { TenantContext } from '../../infra/context/context.ts';

/** Changes to a user's passkeys lock the user, as changes to the password do. Call it in a transaction. */
export async function lockForPasskeys(ctx: TenantContext, userId: string): Promise<void> {
  await ownRows(ctx, 'user', { user_id: userId }).select('user_id').forNoKeyUpdate().executeTakeFirst();
}

/** Ends the user's sessions, except `sessionId`. The user must be locked, so that no older session opens later. */
export async function endSessionsWithoutPasskey(
  ctx: TenantContext,
  { userId, sessionId }: { userId: string; sessionId: string | null },
): Promise<void> {
  await updateOwn(ctx, 'user', { user_id: userId })
    .set({ passkeys_changed_at: ctx.now(), passkeys_changed_in: sessionId })
    .execute();
}
