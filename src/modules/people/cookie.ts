import type { Context } from '../../platform/context.ts';

/** Browsers take the prefix over HTTPS only; plain HTTP is for loopback, where the configuration allows it. */
export function cookieName(ctx: Context): string {
  return isSecure(ctx) ? '__Host-lectern_session' : 'lectern_session';
}

function isSecure(ctx: Context): boolean {
  return ctx.config.baseUrl.startsWith('https:');
}

/** `Set-Cookie` that keeps the token for so many seconds; 0 removes it. */
export function sessionCookie(ctx: Context, token: string, seconds: number): string {
  const secure = isSecure(ctx) ? '; Secure' : '';
  return `${cookieName(ctx)}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

export function cookieToken(ctx: Context, header: string | undefined): string | undefined {
  const start = `${cookieName(ctx)}=`;
  const cookies = header?.split(';').map((cookie) => cookie.trim());
  return cookies?.find((cookie) => cookie.startsWith(start))?.slice(start.length);
}
