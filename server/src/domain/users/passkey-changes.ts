import type { TenantContext } from '../../infra/context/context.ts';

/** Changes to a user's passkeys lock the user, as changes to the password do. Call it in a transaction. */
export async function lockForPasskeys(ctx: TenantContext, userId: string): Promise<void> {
  await ctx.db
    .selectFrom('user')
    .select('user_id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Ends the user's sessions, except `sessionId`. The user must be locked, so that no older session opens later. */
export async function endSessionsWithoutPasskey(
  ctx: TenantContext,
  { userId, sessionId }: { userId: string; sessionId: string | null },
): Promise<void> {
  await ctx.db
    .updateTable('user')
    .set({ passkeys_changed_at: ctx.now(), passkeys_changed_in: sessionId })
    .where('tenant_id', '=', ctx.tenantId)
    .where('user_id', '=', userId)
    .execute();
}
