import { setTimeout as delay } from 'node:timers/promises';
import { ownRows } from '../../db/own-rows.ts';
import { forTenant, run, transaction } from '../../db/transaction.ts';
import { recordOf } from '../../http/records.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { derivedId } from '../../lib/ids.ts';
import { appendAudit } from '../audit/chain.ts';
import { pageBranding } from '../tenants/branding.ts';
import { findTenantByName, knownTenant } from '../tenants/tenants.ts';
import { newToken, readToken } from '../tenants/token.ts';
import { storeChosenPassword } from '../users/choose-password.ts';
import {
  findInvited,
  findPending,
  type PendingInvitation,
  useInvitation,
} from '../users/invitations/accept.ts';
import { type InvitationHandle, readInvitationToken } from '../users/invitations/invitations.ts';
import {
  findReset,
  findResetUser,
  type ResetHandle,
  requestReset,
  useReset,
} from '../users/invitations/resets.ts';
import { matchesPassword, pageFunction, readPassword, storePassword } from '../users/passwords.ts';
import { newSessionTimes } from './cookie.ts';
import { deleteGuesses, nameHash, recordGuess, resetHash } from './guesses.ts';
import { OpenInvitation } from './schemas.ts';
import type { SignedIn } from './sessions.ts';
import { auditFailure, personActor } from './sign-in-audit.ts';
import { mayUsePassword, openUserSession } from './user-sessions.ts';

const open = `
with used as (
  select known.user_id, null::text[] as scopes, null::text as second_factor, null::text as provider_id from "user" known
  where known.tenant_id = $1 and known.user_id = $2 and ${mayUsePassword('known')}
), ${openUserSession}
select used.* from used`;

type Chosen = {
  tenantId: string;
  user: { user_id: string; is_admin: boolean };
  passwordHash: string;
  userAgent: string | null;
  method: 'invitation' | 'reset';
  limit?: readonly string[] | null;
};

/** Stores the password and returns the token of a new session. Call it in the transaction that uses up the link. */
async function setPasswordByLink(ctx: Context, chosen: Chosen): Promise<string> {
  const { tenantId, user, passwordHash, userAgent, method, limit } = chosen;
  const { user_id: userId, is_admin: isAdmin } = user;
  const { token, hash } = newToken(tenantId);
  const actor = personActor(ctx, { hash, userId, isAdmin });
  const choice = { userId, passwordHash, sessionId: derivedId(hash), ...(limit !== undefined && { limit }) };
  await storeChosenPassword({ ...ctx, tenantId, actor }, choice);
  await run(ctx, open, [tenantId, userId, ...newSessionTimes(ctx), hash, userAgent]);
  await appendAudit(ctx, tenantId, {
    action: 'sign_in.succeeded',
    targetId: userId,
    data: { Method: method },
    actor,
  });
  return token;
}

function invitationEnded(): Problem {
  return new Problem(
    'invitation_ended',
    'The link has been used, has expired or was revoked. Ask for a new invitation, or sign in with your password.',
  );
}

/** Reads the information for the link's page, without using up the link. */
export async function readOpenInvitation(ctx: Context, input: { token: string }): Promise<OpenInvitation> {
  const handle = readInvitationToken(input.token);
  const found = handle && (await findPending(ctx, handle));
  if (!found) throw invitationEnded();
  return toOpenInvitation(ctx, found);
}

async function toOpenInvitation(ctx: Context, found: PendingInvitation): Promise<OpenInvitation> {
  return recordOf(OpenInvitation, found, {
    PasswordHash: pageFunction(found.declared),
    Branding: await pageBranding(ctx, found.tenant_id),
  });
}

type Acceptance = { token: string; password: string; userAgent: string | null };

/** Hashes the password. The returned function sets it and returns the token of a new session. The link works once. */
export async function acceptInvitation(ctx: Context, input: Acceptance): Promise<() => Promise<string>> {
  const handle = readInvitationToken(input.token);
  const found = handle && (await findPending(ctx, handle));
  if (!found) return () => refuseInvitation(ctx, handle);
  const password = readPassword(input.password, pageFunction(found.declared));
  const passwordHash = await storePassword(ctx, password);
  const { tenantId } = handle;
  const accept = async (ctx: TenantContext) => {
    const user = await useInvitation(ctx, handle);
    if (!user) return null;
    const { userAgent } = input;
    const { scopes: limit } = user;
    return setPasswordByLink(ctx, { tenantId, user, passwordHash, userAgent, method: 'invitation', limit });
  };
  return async () => (await transaction(forTenant(ctx, tenantId), accept)) ?? refuseInvitation(ctx, handle);
}

async function refuseInvitation(ctx: Context, handle: InvitationHandle | null): Promise<never> {
  const named = handle && (await findInvited(ctx, handle));
  await auditFailure(ctx, { tenantId: named ? handle.tenantId : null, method: 'invitation', named });
  throw invitationEnded();
}

/** Longer than the work for an existing user takes, so the response time does not reveal whether the user exists. */
const responseMilliseconds = 300;

type Request = { TenantID: string; LoginID: string };

/** Responds in the same way whether or not the user exists, and counts every request. */
export async function forgetPassword(ctx: Context, input: Request): Promise<void> {
  if (ctx.config.mail === null)
    throw new Problem(
      'mail_not_configured',
      'This service sends no email. Ask your administrator for a new invitation.',
    );
  await recordGuess(ctx, resetHash(ctx, input));
  const began = performance.now();
  await mailLink(ctx, input);
  // Round the time up to a multiple, because the work may take longer when the service is busy.
  await delay(responseMilliseconds - ((performance.now() - began) % responseMilliseconds));
}

async function mailLink(ctx: Context, { TenantID, LoginID }: Request): Promise<void> {
  const tenant = await findTenantByName(ctx, TenantID);
  if (tenant?.status !== 'active') return;
  await requestReset(forTenant(ctx, tenant.tenant_id), LoginID);
}

function resetEnded(): Problem {
  return new Problem(
    'reset_ended',
    'The link has been used or has expired. Request another one on the sign-in page.',
  );
}

function handleOf(token: string): ResetHandle | null {
  const handle = readToken(token);
  return handle?.tenantId ? { tenantId: handle.tenantId, hash: handle.hash } : null;
}

/** Reads the information for the link's page, without using up the link. */
export async function readOpenReset(ctx: Context, input: { token: string }): Promise<OpenInvitation> {
  const handle = handleOf(input.token);
  const found = handle && (await findReset(ctx, handle));
  if (!found) throw resetEnded();
  return toOpenInvitation(ctx, found);
}

type Choice = { token: string; password: string; userAgent: string | null };

/** Hashes the password. The returned function sets it and returns the token of a new session. The link works once. */
export async function resetPassword(ctx: Context, input: Choice): Promise<() => Promise<string>> {
  const handle = handleOf(input.token);
  const found = handle && (await findReset(ctx, handle));
  if (!found) return () => refuseReset(ctx, handle);
  const passwordHash = await storePassword(ctx, readPassword(input.password, pageFunction(found.declared)));
  const { tenantId } = handle;
  const reset = async (ctx: TenantContext) => {
    const user = await useReset(ctx, handle);
    if (!user) return null;
    const { userAgent } = input;
    return setPasswordByLink(ctx, { tenantId, user, passwordHash, userAgent, method: 'reset' });
  };
  return async () => (await transaction(forTenant(ctx, tenantId), reset)) ?? refuseReset(ctx, handle);
}

async function refuseReset(ctx: Context, handle: ResetHandle | null): Promise<never> {
  const named = handle && (await findResetUser(ctx, handle));
  await auditFailure(ctx, { tenantId: named ? handle.tenantId : null, method: 'reset', named });
  throw resetEnded();
}

function wrong(): Problem {
  return new Problem(
    'password_wrong',
    'The current password does not match, or no password was set here. If you forgot your password, ask your administrator for an invitation.',
    { param: 'OldPassword' },
  );
}

const readOwn = (ctx: Context, tenantId: string, userId: string) =>
  ownRows({ db: ctx.db, tenantId }, 'user', { user_id: userId }).select([
    'password_hash',
    'password_chosen',
    'is_admin',
  ]);

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
