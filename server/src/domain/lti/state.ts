import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../infra/context/context.ts';
import { signToken, verifyToken } from '../../infra/keys/key-ring.ts';
import { newId, sha256 } from '../../lib/ids.ts';

/** How long a person may take between login and launch, for example to sign in at the platform. */
export const stateMinutes = 10;

/** What a login passes through the platform to its launch. The platform can read it, but not change it. */
export type State = {
  issuer: string;
  clientId: string;
  nonce: string;
  at: number;
  /** Hash of the browser's cookie. */
  browser: string;
  /** Hash of the secret in the platform's storage, and the frame that keeps it; null if it offers none. */
  storage: { hash: string; target: string } | null;
  /** The login runs in a window of its own. */
  isWindow: boolean;
  /** The parameters of the login, with which it can be repeated in a window. */
  login: string;
};

/** Starts with the ID of the launch in the log, which makes sure that the nonce is used once. */
export const newNonce = (ctx: Context): string => `${newId(ctx.now())}.${randomUUID()}`;
export const launchIdOf = ({ nonce }: State): string => nonce.slice(0, nonce.indexOf('.'));

export const writeState = (ctx: Context, state: State): string => signToken(ctx.keys, 'lti-state', state);

/** Null if we did not sign the state. The cast is safe, because only we can sign one. */
export const readState = (ctx: Context, token: string): State | null =>
  verifyToken(ctx.keys, 'lti-state', token) as State | null;

export const isExpired = (ctx: Context, { at }: State): boolean =>
  ctx.now().getTime() - at > stateMinutes * 60_000;

const isSecure = (ctx: Context) => ctx.config.baseUrl.startsWith('https:');
const cookieName = (ctx: Context) => `${isSecure(ctx) ? '__Host-' : ''}lectern_lti`;

export function browserCookie(ctx: Context, { headers }: FastifyRequest): string | null {
  const start = `${cookieName(ctx)}=`;
  const cookies = headers.cookie?.split(';').map((cookie) => cookie.trim()) ?? [];
  return cookies.find((cookie) => cookie.startsWith(start))?.slice(start.length) || null;
}

/**
 * The browser's cookie, which all its launches share, because several may be under way. It must be sent in frames of
 * another site, where browsers keep it apart by that site (`Partitioned`).
 */
export function keepBrowser(ctx: Context, request: FastifyRequest): { value: string; header: string } {
  const value = browserCookie(ctx, request) ?? randomUUID();
  const inFrames = isSecure(ctx) ? 'SameSite=None; Secure; Partitioned' : 'SameSite=Lax';
  const header = `${cookieName(ctx)}=${value}; Path=/; Max-Age=${stateMinutes * 60}; HttpOnly; ${inFrames}`;
  return { value, header };
}

/** Only our own page can prove what is in the platform's storage; a form of another site cannot. */
const isOwnPage = (ctx: Context, { headers }: FastifyRequest) => {
  const site = headers['sec-fetch-site'];
  return site === undefined ? headers.origin === ctx.config.baseUrl : site === 'same-origin';
};

/** Whether the browser is the one that began the login. `none`: it shows no sign of any login. */
export function bindingOf(
  ctx: Context,
  request: FastifyRequest,
  state: State,
  proof: string,
): 'same' | 'other' | 'none' {
  const cookie = browserCookie(ctx, request);
  if (cookie !== null && sha256(cookie) === state.browser) return 'same';
  if (state.storage && proof !== '' && isOwnPage(ctx, request) && sha256(proof) === state.storage.hash)
    return 'same';
  return cookie === null ? 'none' : 'other';
}
