import type { FastifyRequest } from 'fastify';
import type { Context } from '../../platform/context.ts';
import { Problem } from '../../platform/errors.ts';
import { sessionHours } from './session-times.ts';

type CookieContext = Pick<Context, 'config'>;

/**
 * Browsers accept the prefix `__Host-` only over HTTPS. The configuration allows plain HTTP only on
 * loopback.
 */
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

/** The values of all cookies with the session's name. */
export function cookieTokens({ config }: CookieContext, header: string | undefined): string[] {
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
