import type { Context } from '../../platform/context.ts';
import { cookieOf } from './cookie.ts';
import { readSession } from './sessions.ts';

/** Throws `signed_out` if the session just opened has already ended, for example because of a new password. */
export async function signedIn(ctx: Context, token: string) {
  const { session } = await readSession(ctx, token);
  return { status: 200 as const, body: session, headers: cookieOf(ctx, token) };
}
