import { forTenant, run, transaction } from '../../db/transaction.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import {
  grantedScopes,
  hasScope,
  learnerScopes,
  requireScope,
  tenantScopes,
} from '../../infra/context/scopes.ts';
import { Problem } from '../../lib/errors.ts';
import { appendAudit, audit } from '../audit/chain.ts';
import { isSuspended, knownTenant } from '../tenants/tenants.ts';
import { newToken, readToken } from '../tenants/token.ts';
import { userNotFound } from '../users/users.ts';
import { newSessionTimes } from './cookie.ts';
import { isOperatorLink, signInAddress, useOperatorLink } from './operator-links.ts';
import { openOperatorSession } from './operator-sessions.ts';
import { consolePath, type SignInLink, type SignInRequest } from './schemas.ts';
import { auditFailure, type Named, personActor } from './sign-in-audit.ts';
import { maxCleaned, openUserSession } from './user-sessions.ts';

const linkSeconds = 60;

/**
 * Locks the user, who may be erased at the same time. Each new link removes the user's expired links. The session will not
 * have any scope that the caller lacks. An application with a key that may act as an administrator has identified them
 * itself, so its links need no passkey.
 */
const make = `
with known as (
  select account.user_id, account.enabled, account.is_admin, not account.is_admin or $7::boolean as allowed from "user" account
  where account.tenant_id = $1 and account.login_id = $2 for key share of account
), cleaned as (
  delete from sign_in_link old where old.tenant_id = $1 and old.link_hash = any(array(
    select expired.link_hash from known cross join lateral (
      select sign_in_link.link_hash from sign_in_link where sign_in_link.tenant_id = $1 and sign_in_link.user_id = known.user_id
        and sign_in_link.expires_at <= $4 order by sign_in_link.expires_at limit ${maxCleaned}
    ) expired
  ))
), made as (
  insert into sign_in_link (tenant_id, link_hash, user_id, path, created_at, expires_at, scopes, second_factor)
  select $1, $3, known.user_id, $5, $4, $6, case when known.is_admin then $8::text[] else $9::text[] end,
    case when known.is_admin and $10::boolean then 'link' end
  from known where known.enabled and known.allowed
)
select known.user_id, known.enabled, known.allowed from known`;

type LinkOwner = { user_id: string; enabled: boolean; allowed: boolean };

export async function createSignInLink(
  ctx: TenantContext,
  input: SignInRequest & { loginId: string; seconds?: number },
): Promise<SignInLink> {
  const now = ctx.now();
  const expiresAt = new Date(now.getTime() + (input.seconds ?? linkSeconds) * 1000);
  const { token, hash } = newToken(ctx.tenantId);
  const values = [
    ...[ctx.tenantId, input.loginId, hash, now, input.Path ?? consolePath, expiresAt],
    ...[hasScope(ctx, 'users:admin'), grantedScopes(ctx, tenantScopes), grantedScopes(ctx, learnerScopes)],
    ctx.actor.kind === 'key' || ctx.actor.kind === 'operator_key',
  ];
  await transaction(ctx, async (ctx) => {
    const [user] = await run<LinkOwner>(ctx, make, values);
    if (!user) throw userNotFound();
    if (!user.allowed) requireScope(ctx, 'users:admin', 'Signing in an administrator');
    if (!user.enabled)
      throw new Problem(
        'user_disabled',
        'The user is disabled. Enable them with PUT /user/{LoginID} first.',
        { param: 'LoginID' },
      );
    await audit(ctx, 'sign_in_link.created', user.user_id);
  });
  return { SignInURL: signInAddress(ctx, token), ExpiresAt: expiresAt.toISOString() };
}

const findUsable = `
select 1 from sign_in_link link
join "user" known on known.tenant_id = $1 and known.user_id = link.user_id and known.enabled
where link.tenant_id = $1 and link.link_hash = $2 and link.used_at is null and link.expires_at > $3`;

/** Whether the link can still be used. Does not use it up, because mail scanners and link previews open links too. */
export async function isSignInLink(ctx: Context, token: string | undefined): Promise<boolean> {
  const handle = readToken(token);
  if (!handle) return false;
  if (handle.tenantId === null) return isOperatorLink(ctx, handle.hash);
  return (await run(ctx, findUsable, [handle.tenantId, handle.hash, ctx.now()])).length > 0;
}

const use = `
with used as (
  update sign_in_link link set used_at = $3 from "user" known
  where link.tenant_id = $1 and link.link_hash = $2 and link.used_at is null and link.expires_at > $3
    and known.tenant_id = $1 and known.user_id = link.user_id and known.enabled
  returning link.user_id, link.path, link.scopes, link.second_factor, null::text as provider_id, known.is_admin
), ${openUserSession}
select used.* from used`;

type Used = { user_id: string; path: string; is_admin: boolean };

const lookUp = `
select known.user_id, known.is_admin from sign_in_link link
join "user" known on known.tenant_id = $1 and known.user_id = link.user_id
where link.tenant_id = $1 and link.link_hash = $2`;

/**
 * Whether the link would work if its tenant were not suspended. Callers without a valid link learn nothing about the
 * tenant.
 */
export async function isLinkOfSuspendedTenant(ctx: Context, token: string | undefined): Promise<boolean> {
  const tenantId = readToken(token)?.tenantId ?? null;
  return (await isSuspended(ctx, tenantId)) && isSignInLink(ctx, token);
}

/** Exchanges the link for a session, once; null if it can no longer be used. */
export async function signIn(
  ctx: Context,
  input: { token: string | undefined; userAgent: string | null },
): Promise<{ token: string; path: string } | null> {
  const handle = readToken(input.token);
  if (!handle) return null;
  const { tenantId } = handle;
  if (tenantId === null) return signInOperator(ctx, handle.hash, input.userAgent);
  if (await isSuspended(ctx, tenantId)) return null;
  const { token, hash } = newToken(tenantId);
  const values = [tenantId, handle.hash, ...newSessionTimes(ctx), hash, input.userAgent];
  const isUsable = await isSignInLink(ctx, input.token);
  const used =
    isUsable &&
    (await transaction(forTenant(ctx, tenantId), async (ctx) => {
      const [used] = await run<Used>(ctx, use, values);
      if (!used) return null;
      const { user_id: userId, is_admin: isAdmin } = used;
      await appendAudit(ctx, tenantId, {
        action: 'sign_in.succeeded',
        targetId: userId,
        data: { Method: 'link' },
        actor: personActor(ctx, { hash, userId, isAdmin }),
      });
      return used;
    }));
  if (used) return { token, path: used.path };
  const [named = null] = await run<NonNullable<Named>>(ctx, lookUp, [tenantId, handle.hash]);
  const tenant = await knownTenant.get(ctx, tenantId);
  await auditFailure(ctx, { tenantId: tenant?.TenantID ?? null, method: 'link', named });
  return null;
}

async function signInOperator(ctx: Context, linkHash: string, userAgent: string | null) {
  const link = await useOperatorLink(ctx, linkHash);
  if (link) return { token: await openOperatorSession(ctx, { userAgent, ...link }), path: consolePath };
  await auditFailure(ctx, { tenantId: null, method: 'link', named: null });
  return null;
}
