import type { Context } from '../../platform/context.ts';
import { forTenant } from '../../platform/db/owners.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { Problem } from '../../platform/errors.ts';
import { derivedId } from '../../platform/ids.ts';
import { knownTenant } from '../tenants/tenants.ts';
import { storeChosenPassword } from '../users/choose-password.ts';
import { matchesPassword, pageFunction, readPassword, storePassword } from '../users/passwords.ts';
import { deleteGuesses, nameHash, recordGuess } from './guesses.ts';
import type { SignedIn } from './sessions.ts';
import { auditFailure, personActor } from './sign-in-audit.ts';

function wrong(): Problem {
  return new Problem(
    'password_wrong',
    'The current password does not match, or no password was set here. If you forgot your password, ask your administrator for an invitation.',
    { param: 'OldPassword' },
  );
}

const readOwn = (ctx: Context, tenantId: string, userId: string) =>
  ctx.db
    .selectFrom('user')
    .select(['password_hash', 'password_chosen', 'is_admin'])
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId);

/**
 * Checks the old password of the user who is signed in. The returned function changes it. A wrong
 * old password counts as a failed sign-in.
 */
export async function changeOwnPassword(
  ctx: Context,
  { session, userId, hash }: SignedIn,
  input: { oldPassword: string; password: string },
): Promise<() => Promise<void>> {
  const { TenantID: tenantId, LoginID } = session;
  if (tenantId === null || LoginID === null || userId === null) throw wrong();
  const declared = (await knownTenant.get(ctx, tenantId))?.PasswordHash ?? 'opaque';
  const [old, chosen] = [input.oldPassword, input.password].map((typed) =>
    readPassword(typed, pageFunction(declared)),
  ) as [string, string];
  const mark = nameHash(ctx, { TenantID: tenantId, LoginID });
  await recordGuess(ctx, mark);
  const own = await readOwn(ctx, tenantId, userId).executeTakeFirst();
  const stored = own && (declared !== 'opaque' || own.password_chosen) ? own.password_hash : null;
  const isAdmin = own?.is_admin === true;
  const refuse = async () => {
    await auditFailure(ctx, { tenantId, method: 'password', named: { user_id: userId, is_admin: isAdmin } });
    throw wrong();
  };
  if (!(await matchesPassword(ctx, stored, old))) return refuse;
  const passwordHash = await storePassword(ctx, chosen);
  const actor = personActor(ctx, { hash, userId, isAdmin });
  const change = async (ctx: Context) => {
    const now = await readOwn(ctx, tenantId, userId).forUpdate().executeTakeFirst();
    if (now?.password_hash !== stored) return false;
    await storeChosenPassword(
      { ...ctx, tenantId, actor },
      { userId, passwordHash, sessionId: derivedId(hash) },
    );
    return true;
  };
  return async () => {
    if (!(await transaction(forTenant(ctx, tenantId), change))) await refuse();
    await deleteGuesses(ctx, mark);
  };
}
