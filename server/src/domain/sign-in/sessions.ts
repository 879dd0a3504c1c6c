import type { FastifyRequest } from 'fastify';
import { type Caller, path } from '../../http/routes.ts';
import { type Context, tenantNow } from '../../infra/context/context.ts';
import { learnerScopes, type Scope, scopes, tenantScopes } from '../../infra/context/scopes.ts';
import { Problem } from '../../lib/errors.ts';
import { derivedId } from '../../lib/ids.ts';
import { noBranding, pageBranding } from '../tenants/branding.ts';
import { suspendedReason } from '../tenants/tenants.ts';
import { type Handle, readToken } from '../tenants/token.ts';
import { cookieOf, cookieToken, toTimes } from './cookie.ts';
import { endOperatorSessions, findOperatorSession } from './operator-sessions.ts';
import { rejectCrossSite } from './same-origin.ts';
import type { Session } from './schemas.ts';
import { nextStepOf, passkeyRequired } from './second-factor.ts';
import { endUserSessions, findUserSession } from './user-sessions.ts';

const nobody = {
  ...{ TenantID: null, TenantName: null, TimeZone: null },
  ...{ LoginID: null, FirstName: null, LastName: null },
};

const scopesOfRole: Record<Session['Role'], readonly Scope[]> = {
  operator: scopes,
  administrator: tenantScopes,
  learner: learnerScopes,
};

/** The scopes of the role, or fewer if the session is limited. */
function scopesOf(role: Session['Role'], limit: readonly string[] | null): Scope[] {
  return scopesOfRole[role].filter((scope) => limit === null || limit.includes(scope));
}

type Found = { session: Session; userId: string | null };

async function findSession(ctx: Context, handle: Handle): Promise<Found | null> {
  if (handle.tenantId === null) {
    const row = await findOperatorSession(ctx, handle.hash);
    if (!row) return null;
    const Role = 'operator';
    const NextStep = nextStepOf(row);
    const Scopes = NextStep === null ? scopesOf(Role, null) : [];
    const session: Session = {
      Role,
      ...nobody,
      Scopes,
      NextStep,
      Now: ctx.now().toISOString(),
      ...toTimes(ctx, row),
      SignOutURL: null,
      Branding: noBranding,
    };
    return { session, userId: null };
  }
  const row = await findUserSession(ctx, handle);
  if (!row) return null;
  if (row.tenant_status === 'suspended') throw new Problem('tenant_suspended', suspendedReason);
  const Role = row.is_admin ? 'administrator' : 'learner';
  const NextStep = nextStepOf(row);
  const session: Session = {
    Role,
    TenantID: handle.tenantId,
    TenantName: row.tenant_name,
    TimeZone: row.time_zone,
    LoginID: row.login_id,
    FirstName: row.first_name,
    LastName: row.last_name,
    Scopes: NextStep === null ? scopesOf(Role, row.limit_to) : [],
    NextStep,
    Now: tenantNow({ ...ctx, tenantId: handle.tenantId }).toISOString(),
    ...toTimes(ctx, row),
    SignOutURL:
      row.sign_out_at === null
        ? null
        : ctx.config.baseUrl + path`/sso/${handle.tenantId}/sign-out/${row.sign_out_at}`,
    Branding: await pageBranding(ctx, handle.tenantId),
  };
  return { session, userId: row.user_id };
}

export function signedOut(): Problem {
  return new Problem('signed_out', 'Nobody is signed in, or the session has ended. Sign in again.');
}

export type SignedIn = Found & { hash: string };

/** The user that a token from a browser's cookie belongs to. */
async function readSession(ctx: Context, token: string | undefined): Promise<SignedIn> {
  const handle = readToken(token);
  const found = handle && (await findSession(ctx, handle));
  if (!found) throw signedOut();
  return { hash: handle.hash, ...found };
}

/**
 * The user who is signed in to the browser that sent the request; null if nobody is signed in. The session may still
 * need a passkey (`NextStep`), and must then be used for nothing else.
 */
export async function sessionOf(ctx: Context, request: FastifyRequest): Promise<SignedIn | null> {
  const token = cookieToken(ctx, request.headers.cookie);
  if (token === undefined) return null;
  rejectCrossSite(ctx, request);
  return readSession(ctx, token);
}

/** Like `sessionOf`, but throws `passkey_required` if the session still needs a passkey. */
export async function wholeSessionOf(ctx: Context, request: FastifyRequest): Promise<SignedIn | null> {
  const found = await sessionOf(ctx, request);
  if (found && found.session.NextStep !== null) throw passkeyRequired();
  return found;
}

/** Ends the cookie's session, or all sessions of its user. Does nothing if there is no session. */
export async function signOut(ctx: Context, request: FastifyRequest, everywhere: boolean): Promise<void> {
  const token = cookieToken(ctx, request.headers.cookie);
  if (token === undefined) return;
  rejectCrossSite(ctx, request);
  const handle = readToken(token);
  if (!handle) return;
  if (handle.tenantId === null) await endOperatorSessions(ctx, { hash: handle.hash, everywhere });
  else await endUserSessions(ctx, { ...handle, everywhere });
}

/** The browser's session as an API caller; null if there is none. A session that still needs a passkey is rejected. */
export async function sessionCaller(ctx: Context, request: FastifyRequest): Promise<Caller | null> {
  const found = await wholeSessionOf(ctx, request);
  if (!found) return null;
  const { Role, TenantID, LoginID, Scopes } = found.session;
  return {
    keyId: derivedId(found.hash),
    tenantId: TenantID,
    scopes: Scopes,
    isSession: true,
    ...(found.userId === null ? {} : { userId: found.userId }),
    ...(Role === 'learner' ? { learner: LoginID ?? '' } : {}),
  };
}

/** Throws `signed_out` if the session just opened has already ended, for example because of a new password. */
export async function signedIn(ctx: Context, token: string) {
  const { session } = await readSession(ctx, token);
  return { status: 200 as const, body: session, headers: cookieOf(ctx, token) };
}
