import { ownRows } from '../../db/own-rows.ts';
import { forTenant, run, transaction } from '../../db/transaction.ts';
import type { Context } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { appendAudit } from '../audit/chain.ts';
import type { PasswordHash } from '../tenants/schemas.ts';
import { findTenantByName, suspendedReason } from '../tenants/tenants.ts';
import { newToken } from '../tenants/token.ts';
import { hashedPassword, matchesPassword, pageFunction } from '../users/passwords.ts';
import { newSessionTimes } from './cookie.ts';
import { deleteGuesses, nameHash, recordGuess } from './guesses.ts';
import type { PasswordFunction, PasswordSignIn } from './schemas.ts';
import { auditFailure, personActor } from './sign-in-audit.ts';
import { mayUsePassword, openUserSession } from './user-sessions.ts';

/** The function reported for an unknown tenant, so that tenants cannot be enumerated. */
const defaultPasswordHash: PasswordHash = 'opaque';

/** The function with which browsers hash passwords for this tenant. */
export async function readPasswordFunction(
  ctx: Context,
  input: { tenantId: string },
): Promise<PasswordFunction> {
  const tenant = await findTenantByName(ctx, input.tenantId);
  return { PasswordHash: pageFunction(tenant?.declared ?? defaultPasswordHash) };
}

const findPassword = (ctx: Context, tenantId: string, loginId: string) =>
  ownRows({ db: ctx.db, tenantId }, 'user', { login_id: loginId, enabled: true })
    .select(['password_hash', 'password_chosen', 'user_id', 'is_admin'])
    .executeTakeFirst();

/**
 * The lock puts a sign-in and a concurrent password change in order. Either the change ends this session, or
 * the sign-in fails.
 */
const open = `
with used as (
  select known.user_id, known.is_admin, null::text[] as scopes, null::text as second_factor, null::text as provider_id from "user" known
  where known.tenant_id = $1 and known.login_id = $2 and known.enabled and known.password_hash = $7 and ${mayUsePassword('known')}
  for share of known
), ${openUserSession}
select used.* from used`;

type Used = { user_id: string; is_admin: boolean };

/**
 * Checks the password. The returned function signs the user in and returns the session token. All
 * rejections have the same text and take the same time.
 */
export async function signInWithPassword(
  ctx: Context,
  input: PasswordSignIn & { userAgent: string | null },
): Promise<() => Promise<string>> {
  const mark = nameHash(ctx, input);
  await recordGuess(ctx, mark);
  const tenant = await findTenantByName(ctx, input.TenantID);
  const tenantId = tenant?.tenant_id ?? input.TenantID;
  const names = [tenantId, input.LoginID];
  const found = await findPassword(ctx, tenantId, input.LoginID);
  const declared = tenant?.declared ?? defaultPasswordHash;
  const hashed = hashedPassword(input.Password, pageFunction(declared));
  const isComparable = tenant && found && hashed !== null && (declared !== 'opaque' || found.password_chosen);
  const stored = isComparable ? found.password_hash : null;
  const matches = await matchesPassword(ctx, stored, hashed ?? input.Password);
  const refuse = async () => {
    const named = found ?? null;
    await auditFailure(ctx, { tenantId: tenant ? tenantId : null, method: 'password', named });
    throw failed();
  };
  if (!matches) return refuse;
  if (tenant?.status === 'suspended') throw new Problem('tenant_suspended', suspendedReason);
  const { token, hash } = newToken(tenantId);
  const values = [...names, ...newSessionTimes(ctx), hash, input.userAgent, stored];
  const openSession = async (ctx: Context) => {
    const [used] = await run<Used>(ctx, open, values);
    if (!used) return false;
    const { user_id: userId, is_admin: isAdmin } = used;
    await appendAudit(ctx, tenantId, {
      action: 'sign_in.succeeded',
      targetId: userId,
      data: { Method: 'password' },
      actor: personActor(ctx, { hash, userId, isAdmin }),
    });
    return true;
  };
  return async () => {
    if (!(await transaction(forTenant(ctx, tenantId), openSession))) await refuse();
    await deleteGuesses(ctx, mark);
    return token;
  };
}

function failed(): Problem {
  return new Problem(
    'sign_in_failed',
    'Tenant, LoginID or Password is wrong, or this user cannot sign in with a password. Check them and try again.',
  );
}
