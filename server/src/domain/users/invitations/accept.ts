import { run } from '../../../db/transaction.ts';
import type { Context, TenantContext } from '../../../infra/context/context.ts';
import { appendEvents } from '../../events/append.ts';
import type { PasswordHash } from '../../tenants/schemas.ts';
import { type InvitationHandle, statusSql } from './invitations.ts';

/** $1 tenant, $2 invitation, $3 hash of the link, $4 now. */
const isPending = `held.tenant_id = $1 and held.invitation_id = $2 and $3 = any(held.link_hashes)
  and account.tenant_id = $1 and account.user_id = held.user_id
  and client.tenant_id = $1 and ${statusSql('$4')} = 'pending'`;

const valuesOf = (ctx: Context, { tenantId, invitationId, hash }: InvitationHandle) => [
  tenantId,
  invitationId,
  hash,
  ctx.now(),
];

const find = `
select account.login_id, account.first_name, account.last_name, client.tenant_id, client.name as tenant_name,
  client.password_hash as declared, held.expires_at
from invitation held, "user" account, tenant client where ${isPending}`;

export type PendingInvitation = {
  login_id: string;
  first_name: string | null;
  last_name: string | null;
  tenant_id: string;
  tenant_name: string;
  declared: PasswordHash;
  expires_at: Date;
};

/** Finds the invitation if its link can still be used. Does not use up the link. */
export async function findPending(ctx: Context, handle: InvitationHandle): Promise<PendingInvitation | null> {
  const values = valuesOf(ctx, handle);
  const [row] = await run<PendingInvitation>(ctx, find, values);
  return row ?? null;
}

/** Locks the user before the invitation, as every other change of a password does. */
const use = `
with owner as (
  select account.user_id, account.login_id, account.is_admin from invitation held, "user" account, tenant client
  where ${isPending} for no key update of account
)
update invitation used set accepted_at = $4 from owner
where used.tenant_id = $1 and used.invitation_id = $2 and used.user_id = owner.user_id and used.accepted_at is null
  and used.revoked_at is null and $3 = any(used.link_hashes)
returning used.user_id, used.scopes, owner.login_id, owner.is_admin`;

export type UsedInvitation = {
  user_id: string;
  login_id: string;
  is_admin: boolean;
  scopes: string[] | null;
};

/** Uses up the link. The caller sets the password in the same transaction. */
export async function useInvitation(
  ctx: TenantContext,
  handle: InvitationHandle,
): Promise<UsedInvitation | null> {
  const values = valuesOf(ctx, handle);
  const [used] = await run<UsedInvitation>(ctx, use, values);
  if (!used) return null;
  const data = { LoginID: used.login_id, InvitationID: handle.invitationId };
  await appendEvents(ctx, [{ type: 'invitation.accepted', userId: used.user_id, data }]);
  return used;
}

const name = `
select held.user_id, account.is_admin from invitation held
join "user" account on account.tenant_id = $1 and account.user_id = held.user_id
where held.tenant_id = $1 and held.invitation_id = $2`;

export async function findInvited(ctx: Context, { tenantId, invitationId }: InvitationHandle) {
  const [row] = await run<{ user_id: string; is_admin: boolean }>(ctx, name, [tenantId, invitationId]);
  return row ?? null;
}
