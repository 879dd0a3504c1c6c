import type { TenantContext } from '../../platform/context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { knownTenant } from '../tenants/tenants.ts';
import { sessionLimit } from './administrators.ts';
import { storeChosenPassword } from './choose-password.ts';
import { pageFunction, readPassword, storePassword } from './passwords.ts';
import { findUserId, userNotFound } from './users.ts';

/** Sets a password with which the user can sign in to our own pages. Their sessions end, except the caller's own. */
export async function setPassword(
  ctx: TenantContext,
  input: { loginId: string; password: string },
): Promise<void> {
  const declared = (await knownTenant.get(ctx, ctx.tenantId))?.PasswordHash ?? 'opaque';
  const password = readPassword(input.password, pageFunction(declared));
  if ((await findUserId(ctx, input.loginId)) === null) throw userNotFound();
  const passwordHash = await storePassword(ctx, password);
  const limit = sessionLimit(ctx);
  await transaction(ctx, async (ctx) => {
    const userId = await findUserId(ctx, input.loginId);
    if (userId === null) throw userNotFound();
    const sessionId = ctx.actor.userId === userId ? ctx.actor.id : null;
    await storeChosenPassword(ctx, { userId, passwordHash, sessionId, limit });
  });
}
