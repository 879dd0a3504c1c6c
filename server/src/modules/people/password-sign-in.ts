import type { Context } from '../../platform/context.ts';
import { run, transaction } from '../../platform/db/transaction.ts';
import { Problem } from '../../platform/errors.ts';
import { appendAudit } from '../audit/append.ts';
import type { PasswordHash } from '../tenants/schemas.ts';
import { suspendedReason } from '../tenants/suspension.ts';
import { hashedPassword, matchesPassword } from '../users/passwords.ts';
import { deleteGuesses, nameHash, recordGuess } from './guesses.ts';
import type { PasswordFunction, PasswordSignIn } from './schemas.ts';
import { newSessionTimes } from './session-times.ts';
import { auditFailure, personActor } from './sign-in-audit.ts';
import { newToken } from './token.ts';
import { openUserSession } from './user-sessions.ts';

/** The hash function reported for an unknown tenant, so that tenants cannot be enumerated. */
const assumed: PasswordHash = 'sha256-hex';

/**
 * The function with which browsers hash passwords for this tenant. Not cached, because response times would reveal
 * which tenants exist.
 */
export async function readPasswordFunction(
  ctx: Context,
  input: { tenantId: string },
): Promise<PasswordFunction> {
  const row = await ctx.db
    .selectFrom('tenant')
    .select('password_hash')
    .where('tenant_id', '=', input.tenantId)
    .where('status', '<>', 'deleting')
    .executeTakeFirst();
  return { PasswordHash: (row?.password_hash ?? assumed) as PasswordHash };
}

const find = `
select client.password_hash as declared, client.status, known.password_hash as stored, known.user_id, known.is_admin
from tenant client
left join "user" known on known.tenant_id = $1 and known.login_id = $2 and known.enabled
where client.tenant_id = $1 and client.status <> 'deleting'`;

type Found = {
  declared: PasswordHash;
  status: string;
  stored: string | null;
  user_id: string | null;
  is_admin: boolean | null;
};

const open = `
with used as (
  select known.user_id, known.is_admin, null::text[] as scopes from "user" known
  where known.tenant_id = $1 and known.login_id = $2 and known.enabled and known.password_hash = $7
), ${openUserSession}
select used.* from used`;

type Used = { user_id: string; is_admin: boolean };

/** Signs a user in and returns the session token. All rejections have the same text and take the same time. */
export async function signInWithPassword(
  ctx: Context,
  input: PasswordSignIn & { userAgent: string | null },
): Promise<string> {
  const mark = nameHash(ctx, input);
  await recordGuess(ctx, mark);
  const names = [input.TenantID, input.LoginID];
  const [found] = await run<Found>(ctx, { name: 'find_password', text: find, values: names });
  const declared = found?.declared ?? assumed;
  const hashed = hashedPassword(input.Password, declared);
  const stored = declared === 'opaque' || hashed === null ? null : (found?.stored ?? null);
  const matches = await matchesPassword(ctx, stored, hashed ?? input.Password);
  const named = found?.user_id ? { user_id: found.user_id, is_admin: found.is_admin === true } : null;
  const refuse = async () => {
    await auditFailure(ctx, { tenantId: found ? input.TenantID : null, method: 'password', named });
    return failed();
  };
  if (!matches) throw await refuse();
  if (found?.status === 'suspended') throw new Problem('tenant_suspended', suspendedReason);
  const { token, hash } = newToken(input.TenantID);
  const values = [...names, ...newSessionTimes(ctx), hash, input.userAgent, stored];
  const isOpen = await transaction(ctx, async (ctx) => {
    const [used] = await run<Used>(ctx, { name: 'open_user_session', text: open, values });
    if (!used) return false;
    const { user_id: userId, is_admin: isAdmin } = used;
    await appendAudit(ctx, input.TenantID, {
      action: 'sign_in.succeeded',
      targetId: userId,
      data: { Method: 'password' },
      actor: personActor(ctx, { hash, userId, isAdmin }),
    });
    return true;
  });
  if (!isOpen) throw await refuse();
  await deleteGuesses(ctx, mark);
  return token;
}

function failed(): Problem {
  return new Problem(
    'sign_in_failed',
    'Tenant, LoginID or Password is wrong, or this user cannot sign in with a password. Check them and try again.',
  );
}
