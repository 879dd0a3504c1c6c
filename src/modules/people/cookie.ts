import type { Context } from '../../platform/context.ts';

type Place = Pick<Context, 'config'>;

/** Browsers take the prefix over HTTPS only; plain HTTP is for loopback, where the configuration allows it. */
export function cookieName({ config }: Place): string {
  return isSecure({ config }) ? '__Host-lectern_session' : 'lectern_session';
}

function isSecure({ config }: Place): boolean {
  return config.baseUrl.startsWith('https:');
}

/** `Set-Cookie` that keeps the token for so many seconds; 0 removes it. */
export function sessionCookie({ config }: Place, token: string, seconds: number): string {
  const secure = isSecure({ config }) ? '; Secure' : '';
  return `${cookieName({ config })}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

export function cookieToken({ config }: Place, header: string | undefined): string | undefined {
  const start = `${cookieName({ config })}=`;
  const cookies = header?.split(';').map((cookie) => cookie.trim());
  return cookies?.find((cookie) => cookie.startsWith(start))?.slice(start.length);
}
