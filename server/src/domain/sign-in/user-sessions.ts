import { ownRows, updateOwn } from '../../db/own-rows.ts';
import { forTenant, run, transaction } from '../../db/transaction.ts';
import type { Context } from '../../infra/context/context.ts';
import { derivedId } from '../../lib/ids.ts';
import { appendAudit } from '../audit/chain.ts';
import { sessionTimes, type Times } from './cookie.ts';
import { type Factors, nextStepOf } from './second-factor.ts';
import { personActor } from './sign-in-audit.ts';

export type UserSession = Times & {
  user_id: string;
  tenant_name: string;
  time_zone: string;
  tenant_status: string;
  login_id: string;
  first_name: string | null;
  last_name: string | null;
  is_admin: boolean;
  /** The identity provider at which the user can be signed out too. */
  sign_out_at: string | null;
  /** Null if the session may do everything that the role allows. */
  limit_to: string[] | null;
} & Factors;

type UserSessionHandle = { tenantId: string; hash: string };

/** Each new link or session removes up to this many expired ones, which is more than it adds. */
export const maxCleaned = 20;

/**
 * The rest of a statement whose CTE `used` returns the user, the scopes, the second factor and the identity provider. The parameters are
 * the tenant ($1), now ($3), the end ($4), the hash ($5) and the browser ($6).
 */
export const openUserSession = `
cleaned as (
  delete from user_session old where old.tenant_id = $1 and old.session_hash = any(array(
    select expired.session_hash from used cross join lateral (
      select user_session.session_hash from user_session where user_session.tenant_id = $1 and user_session.user_id = used.user_id
        and user_session.expires_at <= $3 order by user_session.expires_at limit ${maxCleaned}
    ) expired
  ))
), made as (
  insert into user_session (tenant_id, session_hash, user_id, signed_in_at, last_seen_at, expires_at, user_agent, scopes, second_factor, provider_id)
  select $1, $5, used.user_id, $3, $3, $4, $6, used.scopes, used.second_factor, used.provider_id from used
)`;

/**
 * SQL condition that is true unless a provider is required and this is an administrator without a passkey. A passkey
 * is the way in when the provider is down.
 */
export const mayUsePassword = (user: string) => `(not ${user}.is_admin
      or not exists (select from identity_provider own where own.tenant_id = $1 and own.is_enabled and own.is_required)
      or exists (select from passkey own where own.tenant_id = $1 and own.user_id = ${user}.user_id))`;

const read = `
with found as (
  select user_session.signed_in_at, user_session.last_seen_at, user_session.expires_at, client.name as tenant_name, client.time_zone,
    client.status as tenant_status, known.user_id, known.login_id,
    known.first_name, known.last_name, known.is_admin, user_session.second_factor,
    known.is_admin and exists (
      select from passkey where passkey.tenant_id = $1 and passkey.user_id = known.user_id
    ) as has_passkey,
    known.is_admin and client.second_factor = 'required' as needs_passkey,
    (
      select provider.provider_id from identity_provider provider
      where provider.tenant_id = $1 and provider.provider_id = user_session.provider_id
        and (provider.settings->>'SignOut')::boolean
    ) as sign_out_at,
    (case when user_session.scopes is null then known.admin_scopes when known.admin_scopes is null then user_session.scopes
      else array(select unnest(user_session.scopes) intersect select unnest(known.admin_scopes)) end) as limit_to
  from user_session
  join "user" known on known.tenant_id = $1 and known.user_id = user_session.user_id and known.enabled
  join tenant client on client.tenant_id = $1 and client.status <> 'deleting'
  where user_session.tenant_id = $1 and user_session.session_hash = $2 and user_session.ended_at is null and user_session.expires_at > $3
    and user_session.last_seen_at > $4
    and (user_session.second_factor is not null or ${mayUsePassword('known')})
    and (known.password_changed_at is null or user_session.signed_in_at >= known.password_changed_at
      or known.password_changed_in = $6)
    and (known.passkeys_changed_at is null or user_session.signed_in_at >= known.passkeys_changed_at
      or known.passkeys_changed_in = $6)
), noted as (
  update user_session set last_seen_at = $3 where user_session.tenant_id = $1 and user_session.session_hash = (
    select seen.session_hash from found cross join lateral (
      select own.session_hash from user_session own where own.tenant_id = $1 and own.session_hash = $2
        and own.last_seen_at <= $5 for no key update skip locked
    ) seen)
)
select * from found`;

/**
 * Reads the session for each request, so disabling or erasing a user, or changing their password,
 * takes effect immediately.
 */
export async function findUserSession(ctx: Context, handle: UserSessionHandle): Promise<UserSession | null> {
  const values = [handle.tenantId, handle.hash, ...sessionTimes(ctx), derivedId(handle.hash)];
  const [row] = await run<UserSession>(ctx, read, values);
  return row ?? null;
}

const batchSize = 300;

const deleteLinks = `
delete from sign_in_link link where link.tenant_id = $1 and link.link_hash = any(array(
  select sign_in_link.link_hash from sign_in_link where sign_in_link.tenant_id = $1 and sign_in_link.user_id between $2 and $2
  order by sign_in_link.user_id limit ${batchSize}
)) returning 1`;

/** Later sign-ins are not affected. The range makes the planner read the rows in the order of the index. */
const endSessions = `
update user_session old set ended_at = $3 where old.tenant_id = $1 and old.session_hash = any(array(
  select user_session.session_hash from user_session
  where user_session.tenant_id = $1 and user_session.user_id between $2 and $2 and user_session.ended_at is null and user_session.signed_in_at <= $3
  order by user_session.user_id, user_session.signed_in_at limit ${batchSize}
)) returning 1`;

async function endUserSession(ctx: Context, { tenantId, hash }: UserSessionHandle): Promise<void> {
  await updateOwn({ db: ctx.db, tenantId }, 'user_session', { session_hash: hash, ended_at: null })
    .set({ ended_at: ctx.now() })
    .execute();
}

/** Whether the session has not been ended, even if it can no longer be used. */
async function isOpen(ctx: Context, { tenantId, hash }: UserSessionHandle): Promise<boolean> {
  const found = await ownRows({ db: ctx.db, tenantId }, 'user_session', {
    session_hash: hash,
    ended_at: null,
  })
    .select('session_hash')
    .executeTakeFirst();
  return found !== undefined;
}

/** Ends this session, or all sessions of its user if this one is still valid. */
export async function endUserSessions(
  ctx: Context,
  input: UserSessionHandle & { everywhere: boolean },
): Promise<void> {
  const { tenantId, hash } = input;
  const now = ctx.now();
  const session = await findUserSession(ctx, input);
  if (!session && !(await isOpen(ctx, input))) return;
  const isWhole = session !== null && nextStepOf(session) === null;
  if (!session || !isWhole || !input.everywhere) return endUserSession(forTenant(ctx, tenantId), input);
  const { user_id: userId, is_admin: isAdmin } = session;
  const endBatch = async (ctx: Context) => {
    const links = await run(ctx, deleteLinks, [tenantId, userId]);
    const sessions = await run(ctx, endSessions, [tenantId, userId, now]);
    return links.length === batchSize || sessions.length === batchSize;
  };
  // Write the entry with the first batch, so no session ends without an entry.
  const endFirst = async (ctx: Context) => {
    const hasMore = await endBatch(ctx);
    await appendAudit(ctx, tenantId, {
      action: 'sessions.ended',
      targetId: userId,
      data: {},
      actor: personActor(ctx, { hash, userId, isAdmin }),
    });
    return hasMore;
  };
  const own = forTenant(ctx, tenantId);
  let hasMore = await transaction(own, endFirst);
  while (hasMore) hasMore = await transaction(own, endBatch);
}
