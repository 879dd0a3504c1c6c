import type { FastifyRequest } from 'fastify';
import type { Context } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import type { Session } from './schemas.ts';

const sessionHours = 12;
const idleMinutes = 30;
/** A session's last use is recorded at most this often, so most requests only read. */
const recordingIntervalSeconds = 60;

export type Times = { signed_in_at: Date; expires_at: Date };

/** The current time, and the time at which a session that starts now expires at the latest. */
export function newSessionTimes(ctx: Context): [Date, Date] {
  const now = ctx.now();
  return [now, new Date(now.getTime() + sessionHours * 3_600_000)];
}

/**
 * Returns the current time, the earliest last use of a session that is not idle, and the time
 * before which a last use must be recorded again.
 */
export function sessionTimes(ctx: Context): [Date, Date, Date] {
  const now = ctx.now();
  const before = (seconds: number) => new Date(now.getTime() - seconds * 1000);
  return [now, before(idleMinutes * 60), before(recordingIntervalSeconds)];
}

export function toTimes(ctx: Context, row: Times): Pick<Session, 'SignedInAt' | 'IdleUntil' | 'ExpiresAt'> {
  const idleUntil = ctx.now().getTime() + idleMinutes * 60_000;
  return {
    SignedInAt: row.signed_in_at.toISOString(),
    IdleUntil: new Date(Math.min(idleUntil, row.expires_at.getTime())).toISOString(),
    ExpiresAt: row.expires_at.toISOString(),
  };
}

type CookieContext = Pick<Context, 'config'>;

/** Browsers accept the prefix `__Host-` only over HTTPS. The configuration allows plain HTTP only on loopback. */
export function cookieName({ config }: CookieContext): string {
  return isSecure({ config }) ? '__Host-lectern_session' : 'lectern_session';
}

function isSecure({ config }: CookieContext): boolean {
  return config.baseUrl.startsWith('https:');
}

/** A `Set-Cookie` header that keeps the token for this many seconds; 0 removes it. */
export function sessionCookie({ config }: CookieContext, token: string, seconds: number): string {
  const secure = isSecure({ config }) ? '; Secure' : '';
  return `${cookieName({ config })}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** Headers that give the browser a new session. */
export const cookieOf = (ctx: CookieContext, token: string) => ({
  'Cache-Control': 'no-store',
  'Set-Cookie': sessionCookie(ctx, token, sessionHours * 3600),
});

/** The information about the browser that a session records. */
export const browserOf = ({ headers }: FastifyRequest) => ({
  userAgent: headers['user-agent']?.slice(0, 500) ?? null,
});

const stateCookieName = (ctx: CookieContext, state: string) =>
  `${isSecure(ctx) ? '__Host-' : ''}lectern_sso_${state.slice(0, 12)}`;

/**
 * A `Set-Cookie` header for a sign-in at an identity provider. `Lax`, because the provider's site sends the browser back.
 * Each sign-in has its own cookie, so that several tabs can sign in.
 */
export function stateCookie(ctx: CookieContext, state: string, value: string, seconds: number): string {
  const secure = isSecure(ctx) ? '; Secure' : '';
  return `${stateCookieName(ctx, state)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

export function stateOf(ctx: CookieContext, state: string, header: string | undefined): string | undefined {
  const start = `${stateCookieName(ctx, state)}=`;
  const cookies = header?.split(';').map((cookie) => cookie.trim()) ?? [];
  return cookies.find((cookie) => cookie.startsWith(start))?.slice(start.length);
}

/** The values of all cookies with the session's name. */
function cookieTokens({ config }: CookieContext, header: string | undefined): string[] {
  const start = `${cookieName({ config })}=`;
  const cookies = header?.split(';').map((cookie) => cookie.trim()) ?? [];
  return cookies.filter((cookie) => cookie.startsWith(start)).map((cookie) => cookie.slice(start.length));
}

/**
 * Rejects requests with several session cookies. A course on the same host can set such a cookie for a longer
 * path, and browsers send that cookie first.
 */
export function cookieToken({ config }: CookieContext, header: string | undefined): string | undefined {
  const [token, ...others] = cookieTokens({ config }, header);
  if (others.length > 0)
    throw new Problem(
      'session_ambiguous',
      `The browser sent ${others.length + 1} cookies named ${cookieName({ config })}, because a page on this host, such as a course, set one. Delete this site's cookies in the browser and sign in again.`,
    );
  return token;
}
