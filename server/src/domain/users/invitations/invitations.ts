import { type Parameters, run, transaction } from '../../../db/transaction.ts';
import { type Order, type PageQuery, pageById } from '../../../http/pagination.ts';
import { recordOf } from '../../../http/records.ts';
import type { Context, TenantContext } from '../../../infra/context/context.ts';
import { Problem } from '../../../lib/errors.ts';
import { isId } from '../../../lib/ids.ts';
import { audit } from '../../audit/chain.ts';
import { newToken, readToken } from '../../tenants/token.ts';
import { sessionLimit } from '../administrators.ts';
import { endInvitations } from '../end-links.ts';
import { userNotFound } from '../users.ts';
import { Invitation, type InvitationLink } from './schemas.ts';

/** The content of a link: the invitation it is for, and a secret of which only the hash is stored. */
export type InvitationHandle = { tenantId: string; invitationId: string; hash: string };

/** The token is in the fragment, which browsers never send to a server, so no log contains it. */
export function newInvitationLink(
  ctx: Pick<Context, 'config'>,
  { tenantId, invitationId }: { tenantId: string; invitationId: string },
): { url: string; hash: string } {
  const { token, hash } = newToken(tenantId);
  return { url: `${ctx.config.baseUrl}/console/invitation#${invitationId}.${token}`, hash };
}

export function readInvitationToken(token: string): InvitationHandle | null {
  const end = token.indexOf('.');
  const invitationId = token.slice(0, Math.max(0, end));
  const handle = readToken(token.slice(end + 1));
  if (!handle || handle.tenantId === null || !isId(invitationId)) return null;
  return { ...handle, invitationId };
}

/**
 * SQL for the status of an invitation `held` at the time `now`, with its user `account` and its
 * tenant `client`. A suspension revokes all earlier invitations, even after the suspension has
 * ended.
 */
export const statusSql = (now: string): string => `(case
  when held.accepted_at is not null then 'accepted'
  when held.revoked_at is not null or not account.enabled or client.status <> 'active'
    or client.resumed_at > held.created_at then 'revoked'
  when held.expires_at <= ${now} then 'expired'
  else 'pending' end)`;

type InvitationRow = {
  invitation_id: string;
  login_id: string;
  status: Invitation['Status'];
  created_at: Date;
  expires_at: Date;
  accepted_at: Date | null;
};

export function toInvitation(row: InvitationRow): Invitation {
  return recordOf(Invitation, row, {});
}

const read = `
select account.user_id, account.login_id, held.invitation_id, held.created_at, held.expires_at, held.accepted_at,
  ${statusSql('$3')} as status
from "user" account
join tenant client on client.tenant_id = $1
left join invitation held on held.tenant_id = $1 and held.user_id = account.user_id
where account.tenant_id = $1 and account.login_id = $2`;

type Found = InvitationRow & { user_id: string };

async function find(ctx: TenantContext, loginId: string): Promise<Found> {
  const values = [ctx.tenantId, loginId, ctx.now()];
  const [row] = await run<Omit<Found, 'invitation_id'> & { invitation_id: string | null }>(ctx, read, values);
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
    if (ended.length > 0) await audit(ctx, 'invitation.revoked', targetId);
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
    const [added] = await run<{ user_id: string; expires_at: Date }>(ctx, addLink, values);
    if (!added) throw await refusal(ctx, input);
    const { user_id: targetId, expires_at: expiresAt } = added;
    await audit(ctx, 'invitation_link.created', targetId);
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

type Filter = PageQuery & Order & { Count?: boolean; LoginID?: string; Status?: Invitation['Status'] };

const statusAt = (now: string) => `(select ${statusSql(now)} from "user" account, tenant client
  where account.tenant_id = $1 and account.user_id = held.user_id and client.tenant_id = $1)`;

const loginId = `(select account.login_id from "user" account
  where account.tenant_id = $1 and account.user_id = held.user_id)`;

/** The condition of a partial index. */
const open = 'held.accepted_at is null and held.revoked_at is null';

/** Each user's newest invitation, in the order in which they were created. */
export async function listInvitations(ctx: TenantContext, input: Filter) {
  const { LoginID, Status } = input;
  const status = ({ add }: Parameters) => statusAt(add(ctx.now()));
  return pageById<InvitationRow, Invitation>(
    ctx,
    input,
    {
      table: 'invitation',
      key: 'invitation_id',
      where: [
        ...(LoginID === undefined
          ? []
          : [
              ({ add }: Parameters) =>
                `held.user_id = (select own.user_id from "user" own where own.tenant_id = $1 and own.login_id = ${add(LoginID)})`,
            ]),
        ...(Status === 'pending' || Status === 'expired' ? [() => open] : []),
        ...(Status === undefined
          ? []
          : [(parameters: Parameters) => `${status(parameters)} = ${parameters.add(Status)}`]),
      ],
      newest: input.Order !== 'oldest',
      // This is a subquery, because the planner would read all users for a join.
      show: (page, parameters) =>
        `select held.*, ${loginId} as login_id, ${status(parameters)} as status from (${page}) held`,
    },
    toInvitation,
  );
}
