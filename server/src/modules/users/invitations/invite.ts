import type { Actor, TenantContext } from '../../../platform/context.ts';
import { run, transaction } from '../../../platform/db/transaction.ts';
import { Problem } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { coalesce } from '../../../platform/load/batch.ts';
import { dryRunEach } from '../../../platform/retries/dry-run.ts';
import { type BulkOperation, bulk, type RowDone } from '../../../platform/rows/bulk.ts';
import type { Scope } from '../../../platform/scopes.ts';
import { toNfc } from '../../../platform/unicode.ts';
import { appendAudit } from '../../audit/append.ts';
import { eventType, insertEvent, numberBeforeCommit } from '../../events/write.ts';
import { isSuspended } from '../../tenants/suspension.ts';
import { sessionLimit } from '../administrators.ts';
import { userNotFound } from '../users.ts';
import { newInvitationLink } from './link.ts';
import { InvitationRequest, type NewInvitation } from './schemas.ts';
import { toInvitation } from './state.ts';

const days = 7;

type Row = {
  event_id: string;
  login_id: string;
  invitation_id: string;
  link_hash: string;
  scopes: readonly Scope[] | null;
};

type Request = { row: Row; by: Actor };
type Outcome = { user_id: string; enabled: boolean; created_at: Date; expires_at: Date } | null;

/** Replaces the user's earlier invitation, so that its links no longer work. */
const invite = `
with asked as (
  select r.* from jsonb_to_recordset($2) as r (n integer, event_id uuid, login_id text, invitation_id uuid, link_hash text, scopes text[])
), known as (
  select asked.*, account.user_id, account.enabled from asked
  cross join lateral (
    select own.user_id, own.enabled from "user" own where own.tenant_id = $1 and own.login_id = asked.login_id
    limit 1 for share
  ) account
), made as (
  insert into invitation as own (tenant_id, user_id, invitation_id, link_hashes, scopes, created_at, expires_at)
  select $1, known.user_id, known.invitation_id, array[known.link_hash], known.scopes, $3, $4 from known
  where known.enabled order by known.user_id
  on conflict (tenant_id, user_id) do update set invitation_id = excluded.invitation_id,
    link_hashes = excluded.link_hashes, scopes = excluded.scopes, created_at = excluded.created_at,
    expires_at = excluded.expires_at, accepted_at = null, revoked_at = null
), noted as (
  ${insertEvent}
  select $1, known.event_id, ${eventType('invitation.created')}, $3, known.user_id, null, null, jsonb_build_object(
    'LoginID', known.login_id, 'InvitationID', known.invitation_id, 'ExpiresAt', $5::text)
  from known where known.enabled
)
select known.n, known.user_id, known.enabled from known`;

const inviteCoalesced = coalesce<TenantContext, Request, Outcome>({
  name: 'invite',
  group: (ctx) => ctx.tenantId,
  key: ({ row }) => row.login_id,
  run: (ctx, requests) =>
    transaction(ctx, async (ctx) => {
      const now = ctx.now();
      const until = new Date(now.getTime() + days * 86_400_000);
      const rows = JSON.stringify(requests.map(({ row }, n) => ({ n, ...row })));
      const values = [ctx.tenantId, rows, now, until, until.toISOString()];
      const found = await run<{ n: number; user_id: string; enabled: boolean }>(ctx, {
        name: 'invite',
        text: invite,
        values,
      });
      numberBeforeCommit(ctx, [ctx.tenantId]);
      const outcomes: Outcome[] = requests.map(() => null);
      for (const { n, ...user } of found) outcomes[n] = { ...user, created_at: now, expires_at: until };
      const entries = requests.flatMap(({ by: actor }, n) => {
        const user = outcomes[n];
        if (!user?.enabled) return [];
        return [{ action: 'invitation.created', targetId: user.user_id, data: {}, actor } as const];
      });
      if (entries.length > 0) await appendAudit(ctx, ctx.tenantId, ...entries);
      return outcomes;
    }),
});

/** Invites a user to set a password. The response is the only place where the link appears. */
export async function createInvitation(ctx: TenantContext, input: InvitationRequest): Promise<NewInvitation> {
  if (await isSuspended(ctx, ctx.tenantId))
    throw new Problem('tenant_suspended', 'The tenant is suspended. Resume it before you invite its users.');
  const invitationId = newId(ctx.now());
  const { url, hash } = newInvitationLink(ctx, { tenantId: ctx.tenantId, invitationId });
  const row: Row = {
    event_id: newId(ctx.now()),
    login_id: toNfc(input.LoginID),
    invitation_id: invitationId,
    link_hash: hash,
    scopes: sessionLimit(ctx),
  };
  const made = await inviteCoalesced(ctx, { row, by: ctx.actor });
  if (!made) throw userNotFound();
  if (!made.enabled)
    throw new Problem(
      'user_disabled',
      'The user is disabled. Enable them with PUT /user/{LoginID} before you invite them.',
      { param: 'LoginID' },
    );
  const invitation = toInvitation({ ...row, ...made, status: 'pending', accepted_at: null });
  return { ...invitation, InvitationURL: url };
}

async function inviteRow(ctx: TenantContext, row: InvitationRequest): Promise<RowDone> {
  const { LoginID, InvitationID, InvitationURL, ExpiresAt } = await createInvitation(ctx, row);
  return { Status: 201, LoginID, InvitationID, InvitationURL, ExpiresAt };
}

const invitationRows: BulkOperation<InvitationRequest> = {
  row: InvitationRequest,
  tables: ['invitation', 'event'],
  names: ['LoginID'],
  ids: ['InvitationID', 'InvitationURL', 'ExpiresAt'],
  prepare: async (_, row) => (ctx) => inviteRow(ctx, row),
  plan: (ctx, rows) => dryRunEach(ctx, rows, inviteRow),
};

export const inviteInBulk = bulk(invitationRows);
