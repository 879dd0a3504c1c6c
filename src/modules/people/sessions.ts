import type { Context, TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { Problem } from '../../platform/errors.ts';
import { cookieToken } from './cookie.ts';
import type { UserSession } from './schemas.ts';
import { type Handle, readToken } from './token.ts';

export const sessionHours = 12;
const idleMinutes = 30;
/** A session is noted as seen at most so often, so that most requests only read. */
const notedSeconds = 60;

type Row = {
  user_id: string;
  login_id: string;
  first_name: string | null;
  last_name: string | null;
  is_admin: boolean;
  signed_in_at: Date;
  expires_at: Date;
};

const read = `
with found as (
  select held.user_id, held.signed_in_at, held.last_seen_at, held.expires_at, known.login_id, known.first_name,
    known.last_name, known.is_admin
  from user_session held
  join "user" known on known.tenant_id = $1 and known.user_id = held.user_id and known.enabled
  where held.tenant_id = $1 and held.session_hash = $2 and held.ended_at is null and held.expires_at > $3
    and held.last_seen_at > $4
), noted as (
  update user_session held set last_seen_at = $3 from found
  where held.tenant_id = $1 and held.session_hash = $2 and found.last_seen_at <= $5
)
select * from found`;

/** Who is signed in; read anew for each request, so that disabling or erasing a user holds at once. */
async function findSession(ctx: Context, handle: Handle): Promise<Row | null> {
  const now = ctx.now();
  const idle = new Date(now.getTime() - idleMinutes * 60_000);
  const noted = new Date(now.getTime() - notedSeconds * 1000);
  const values = [handle.tenantId, handle.hash, now, idle, noted];
  const [row] = await run<Row>(ctx, { name: 'read_user_session', text: read, values });
  return row ?? null;
}

export function signedOut(): Problem {
  return new Problem('signed_out', 'Nobody is signed in, or the session has ended. Sign in again.');
}

export type SignedIn = { ctx: TenantContext; session: UserSession };

/** The user of a request's cookie, and the context of verbs on their tenant. For the pages of people. */
export async function requireSession(ctx: Context, cookies: string | undefined): Promise<SignedIn> {
  const handle = readToken(cookieToken(ctx, cookies));
  const row = handle && (await findSession(ctx, handle));
  if (!row) throw signedOut();
  const idleUntil = ctx.now().getTime() + idleMinutes * 60_000;
  return {
    ctx: { ...ctx, tenantId: handle.tenantId },
    session: {
      TenantID: handle.tenantId,
      LoginID: row.login_id,
      FirstName: row.first_name,
      LastName: row.last_name,
      IsAdmin: row.is_admin,
      SignedInAt: row.signed_in_at.toISOString(),
      IdleUntil: new Date(Math.min(idleUntil, row.expires_at.getTime())).toISOString(),
      ExpiresAt: row.expires_at.toISOString(),
    },
  };
}

const end = `
update user_session held set ended_at = $3
where held.tenant_id = $1 and held.session_hash = $2 and held.ended_at is null`;

const endAll = `
with own as (
  select held.user_id from user_session held
  where held.tenant_id = $1 and held.session_hash = $2 and held.ended_at is null
), unlinked as (
  delete from sign_in_link link using own where link.tenant_id = $1 and link.user_id = own.user_id
)
update user_session held set ended_at = $3 from own
where held.tenant_id = $1 and held.user_id = own.user_id and held.ended_at is null`;

/** Ends the session of the cookie, or all of its user; without one there is nothing to do. */
export async function signOut(
  ctx: Context,
  input: { cookies: string | undefined; everywhere: boolean },
): Promise<void> {
  const handle = readToken(cookieToken(ctx, input.cookies));
  if (!handle) return;
  const values = [handle.tenantId, handle.hash, ctx.now()];
  const statement = input.everywhere
    ? { name: 'end_user_sessions', text: endAll }
    : { name: 'end_user_session', text: end };
  await run(ctx, { ...statement, values });
}
