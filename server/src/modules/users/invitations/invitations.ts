import type { TenantContext } from '../../../platform/context.ts';
import { run, transaction } from '../../../platform/db/transaction.ts';
import { Problem } from '../../../platform/errors.ts';
import { appendAudit } from '../../audit/append.ts';
import { sessionLimit } from '../administrators.ts';
import { userNotFound } from '../users.ts';
import { endInvitations } from './end.ts';
import { newInvitationLink } from './link.ts';
import type { Invitation, InvitationLink } from './schemas.ts';
import { type InvitationRow, statusSql, toInvitation } from './state.ts';

const read = `
select account.user_id, account.login_id, held.invitation_id, held.created_at, held.expires_at, held.accepted_at,
  ${statusSql('$3')} as status
from "user" account
join tenant client on client.tenant_id = $1
left join invitation held on held.tenant_id = $1 and held.user_id = account.user_id
where account.tenant_id = $1 and account.login_id = $2`;

type Found = InvitationRow & { user_id: string };

/** The user's newest invitation. */
async function find(ctx: TenantContext, loginId: string): Promise<Found> {
  const values = [ctx.tenantId, loginId, ctx.now()];
  const [row] = await run<Omit<Found, 'invitation_id'> & { invitation_id: string | null }>(ctx, {
    name: 'read_invitation',
    text: read,
    values,
  });
  if (!row) throw userNotFound();
  if (row.invitation_id === null) throw invitationNotFound();
  return { ...row, invitation_id: row.invitation_id };
}

function invitationNotFound(): Problem {
  return new Problem(
    'invitation_not_found',
    'The user has no such invitation, or a newer one. Create one with POST /invitation.',
  );
}

export async function readInvitation(ctx: TenantContext, input: { loginId: string }): Promise<Invitation> {
  return toInvitation(await find(ctx, input.loginId));
}

export async function revokeInvitation(ctx: TenantContext, input: { loginId: string }): Promise<Invitation> {
  return transaction(ctx, async (ctx) => {
    const { user_id: targetId } = await find(ctx, input.loginId);
    const ended = await endInvitations(ctx, [targetId]);
    if (ended.length > 0)
      await appendAudit(ctx, ctx.tenantId, { action: 'invitation.revoked', targetId, data: {} });
    return readInvitation(ctx, input);
  });
}

/** Maximum valid links of an invitation. Each additional link invalidates the oldest one. */
const maxLinks = 5;

const addLink = `
update invitation held set
  link_hashes = $4::text || trim_array(held.link_hashes, greatest(cardinality(held.link_hashes) - ${maxLinks - 1}, 0))
from "user" account, tenant client
where held.tenant_id = $1 and held.invitation_id = $3
  and account.tenant_id = $1 and account.user_id = held.user_id and account.login_id = $2
  and client.tenant_id = $1 and ${statusSql('$5')} = 'pending'
  and ($6::text[] is null or held.scopes <@ $6::text[])
returning held.user_id, held.expires_at`;

/**
 * Creates another link for a pending invitation, which the calling application delivers. The link
 * sets a password that is limited to the inviter's scopes, so the caller needs all of these scopes.
 */
export async function createInvitationLink(
  ctx: TenantContext,
  input: { loginId: string; invitationId: string },
): Promise<InvitationLink> {
  const { loginId, invitationId } = input;
  const { url, hash } = newInvitationLink(ctx, { tenantId: ctx.tenantId, invitationId });
  const values = [ctx.tenantId, loginId, invitationId, hash, ctx.now(), sessionLimit(ctx)];
  return transaction(ctx, async (ctx) => {
    const [added] = await run<{ user_id: string; expires_at: Date }>(ctx, {
      name: 'add_invitation_link',
      text: addLink,
      values,
    });
    if (!added) throw await refusal(ctx, input);
    const { user_id: targetId, expires_at: expiresAt } = added;
    await appendAudit(ctx, ctx.tenantId, { action: 'invitation_link.created', targetId, data: {} });
    return { InvitationURL: url, ExpiresAt: expiresAt.toISOString() };
  });
}

async function refusal(
  ctx: TenantContext,
  input: { loginId: string; invitationId: string },
): Promise<Problem> {
  const { invitation_id: newest, status } = await find(ctx, input.loginId);
  if (newest !== input.invitationId) return invitationNotFound();
  if (status !== 'pending')
    return new Problem('invitation_ended', `The invitation is ${status}. Create another one if necessary.`);
  return new Problem(
    'scope_missing',
    'This requires all scopes of the key or session that created the invitation. Use a key that has them.',
  );
}
