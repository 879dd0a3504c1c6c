import { deleteOwn } from '../../../db/own-rows.ts';
import { run, transaction } from '../../../db/transaction.ts';
import type { Context, TenantContext } from '../../../infra/context/context.ts';
import { audit } from '../../audit/chain.ts';
import { canMail, findBounced, queueMails } from '../../mail/queue.ts';
import { newToken } from '../../tenants/token.ts';
import { hasUsablePassword } from '../passwords.ts';
import type { PendingInvitation } from './accept.ts';

const lifetimeMinutes = 60;
/** Maximum links that a user may have. Further requests send nothing, so a mailbox cannot be flooded. */
const maxLinks = 3;

const findAccountText = `
select account.user_id, account.login_id, account.first_name, account.last_name, account.email
from "user" account join tenant client on client.tenant_id = account.tenant_id
where account.tenant_id = $1 and account.login_id = $2 and account.enabled and ${hasUsablePassword}
for no key update of account`;

type Found = {
  user_id: string;
  login_id: string;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
};

const insert = `
insert into password_reset (tenant_id, link_hash, user_id, created_at, expires_at)
select $1, $2, $3, $4, $5 where (
  select count(*) from password_reset own where own.tenant_id = $1 and own.user_id = $3
) < ${maxLinks} returning 1`;

/** Emails a link to the user, if there is one who can use it. */
export async function requestReset(ctx: TenantContext, loginId: string): Promise<void> {
  const now = ctx.now();
  const expiresAt = new Date(now.getTime() + lifetimeMinutes * 60_000);
  await transaction(ctx, async (ctx) => {
    const [user] = await run<Found>(ctx, findAccountText, [ctx.tenantId, loginId]);
    if (!user || !canMail(ctx, user.email)) return;
    if ((await findBounced(ctx, [user.email])).size > 0) return;
    const { user_id: userId } = user;
    const { url, hash } = newResetLink(ctx, ctx.tenantId);
    await deleteOwn(ctx, 'password_reset', { user_id: userId }).where('expires_at', '<=', now).execute();
    const made = await run(ctx, insert, [ctx.tenantId, hash, userId, now, expiresAt]);
    if (made.length === 0) return;
    const names = { firstName: user.first_name, lastName: user.last_name, loginId: user.login_id };
    const content = { ...names, url };
    await queueMails(ctx, [{ userId, kind: 'password_reset', address: user.email, content, expiresAt }]);
    await audit(ctx, 'password_reset.requested', userId);
  });
}

/** The token is in the fragment, which browsers never send to a server. */
function newResetLink({ config }: Pick<Context, 'config'>, tenantId: string) {
  const { token, hash } = newToken(tenantId);
  return { url: `${config.baseUrl}/console/reset#${token}`, hash };
}

/** A tenant and the hash of a link's secret. */
export type ResetHandle = { tenantId: string; hash: string };

/**
 * $1 tenant, $2 hash of the link, $3 now. A newer password or a suspension, even one that has ended, invalidates the
 * link.
 */
const isUsable = `held.tenant_id = $1 and held.link_hash = $2 and held.expires_at > $3
  and account.tenant_id = $1 and account.user_id = held.user_id and account.enabled
  and coalesce(account.password_changed_at <= held.created_at, true)
  and client.tenant_id = $1 and client.status = 'active' and coalesce(client.resumed_at <= held.created_at, true)`;

const findResetText = `
select account.login_id, account.first_name, account.last_name, client.tenant_id, client.name as tenant_name,
  client.password_hash as declared, held.expires_at
from password_reset held, "user" account, tenant client where ${isUsable}`;

/** Finds the user of the link if the link can still be used. Does not use up the link. */
export async function findReset(ctx: Context, { tenantId, hash }: ResetHandle) {
  const [row] = await run<PendingInvitation>(ctx, findResetText, [tenantId, hash, ctx.now()]);
  return row ?? null;
}

/**
 * Locks the user before the link, as every other change of a password does. Otherwise, two links
 * used at the same time could deadlock.
 */
const use = `
with owner as (
  select account.user_id, account.is_admin from password_reset held, "user" account, tenant client where ${isUsable}
  for no key update of account
)
delete from password_reset used using owner
where used.tenant_id = $1 and used.link_hash = $2 and used.user_id = owner.user_id
returning used.user_id, owner.is_admin`;

type UsedReset = { user_id: string; is_admin: boolean };

/** Uses up the link. The caller sets the password in the same transaction. */
export async function useReset(ctx: TenantContext, { hash }: ResetHandle): Promise<UsedReset | null> {
  const [used] = await run<UsedReset>(ctx, use, [ctx.tenantId, hash, ctx.now()]);
  return used ?? null;
}

const name = `
select held.user_id, account.is_admin from password_reset held
join "user" account on account.tenant_id = $1 and account.user_id = held.user_id
where held.tenant_id = $1 and held.link_hash = $2`;

export async function findResetUser(ctx: Context, { tenantId, hash }: ResetHandle) {
  const [row] = await run<UsedReset>(ctx, name, [tenantId, hash]);
  return row ?? null;
}
