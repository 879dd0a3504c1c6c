import type { Context } from '../../platform/context.ts';
import { cookieOf } from './cookie.ts';
import { readSession } from './sessions.ts';

/** Throws `signed_out` if the session that was opened a moment ago has been ended since, by a new password for example. */
export async function signedIn(ctx: Context, token: string) {
  const { session } = await readSession(ctx, token);
  return { status: 200 as const, body: session, headers: cookieOf(ctx, token) };
}
