import type { TenantContext } from '../../platform/context.ts';
import { Problem } from '../../platform/errors.ts';
import { toUser } from './record.ts';
import type { User } from './schemas.ts';

export function userNotFound(): Problem {
  return new Problem('user_not_found', 'The user does not exist. Create the user with POST /user.', {
    param: 'LoginID',
  });
}

export async function findUserId(ctx: TenantContext, loginId: string): Promise<string | null> {
  const row = await ctx.db
    .selectFrom('user')
    .select('user_id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('login_id', '=', loginId)
    .executeTakeFirst();
  return row?.user_id ?? null;
}

export async function readUser(ctx: TenantContext, input: { loginId: string }): Promise<User> {
  const row = await ctx.db
    .selectFrom('user')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('login_id', '=', input.loginId)
    .executeTakeFirst();
  if (!row) throw userNotFound();
  return toUser(row);
}
