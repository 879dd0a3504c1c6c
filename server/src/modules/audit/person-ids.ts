import type { TenantContext } from '../../platform/context.ts';

/**
 * The ID by which the event log and the audit trail refer to a person; null if no user has this LoginID. The module
 * `users` has the same look-up, but this module must not import it.
 */
export async function findPersonId(ctx: TenantContext, loginId: string): Promise<string | null> {
  const user = await ctx.db
    .selectFrom('user')
    .select('user_id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('login_id', '=', loginId)
    .executeTakeFirst();
  return user?.user_id ?? null;
}
