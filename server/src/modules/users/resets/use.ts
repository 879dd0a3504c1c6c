import type { Context, TenantContext } from '../../../platform/context.ts';
import { run } from '../../../platform/db/transaction.ts';
import type { PendingInvitation } from '../invitations/accept.ts';

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

const find = `
select account.login_id, account.first_name, account.last_name, client.tenant_id, client.name as tenant_name,
  client.password_hash as declared, held.expires_at
from password_reset held, "user" account, tenant client where ${isUsable}`;

/** Finds the user of the link if the link can still be used. Does not use up the link. */
export async function findReset(ctx: Context, { tenantId, hash }: ResetHandle) {
  const values = [tenantId, hash, ctx.now()];
  const [row] = await run<PendingInvitation>(ctx, { name: 'look_at_reset', text: find, values });
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

export type UsedReset = { user_id: string; is_admin: boolean };

/** Uses up the link. The caller sets the password in the same transaction. */
export async function useReset(ctx: TenantContext, { hash }: ResetHandle): Promise<UsedReset | null> {
  const values = [ctx.tenantId, hash, ctx.now()];
  const [used] = await run<UsedReset>(ctx, { name: 'use_reset', text: use, values });
  return used ?? null;
}

const name = `
select held.user_id, account.is_admin from password_reset held
join "user" account on account.tenant_id = $1 and account.user_id = held.user_id
where held.tenant_id = $1 and held.link_hash = $2`;

/** The user of a link that failed. */
export async function findResetUser(ctx: Context, { tenantId, hash }: ResetHandle) {
  const [row] = await run<UsedReset>(ctx, { name: 'look_up_reset', text: name, values: [tenantId, hash] });
  return row ?? null;
}
