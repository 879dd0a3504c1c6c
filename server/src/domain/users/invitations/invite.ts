import { joinTransaction, run } from '../../../db/transaction.ts';
import { bulk } from '../../../http/rows/bulk.ts';
import type { BulkOperation, RowDone } from '../../../http/rows/work-rows.ts';
import { planEach } from '../../../infra/calls/dry-run.ts';
import { openVerb, type Submission } from '../../../infra/calls/once.ts';
import type { Actor, TenantContext } from '../../../infra/context/context.ts';
import type { Scope } from '../../../infra/context/scopes.ts';
import { Problem } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import type { NewAudit } from '../../audit/actions.ts';
import { appendAudit } from '../../audit/chain.ts';
import { eventType, insertEvent, numberBeforeCommit } from '../../events/write.ts';
import { cancelMails, canMail, queueMails } from '../../mail/queue.ts';
import { isSuspended } from '../../tenants/tenants.ts';
import { sessionLimit } from '../administrators.ts';
import { User } from '../schemas.ts';
import { userNotFound } from '../users.ts';
import { newInvitationLink, toInvitation } from './invitations.ts';
import { InvitationRequest, type NewInvitation } from './schemas.ts';

const days = 7;

type Row = {
  event_id: string;
  login_id: string;
  invitation_id: string;
  link_hash: string;
  scopes: readonly Scope[] | null;
};

/** `url` is null if the caller sends the link themselves. */
type Request = { row: Row; by: Actor; url: string | null };
type Found = {
  user_id: string;
  enabled: boolean;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
};
type Invited = Found & { created_at: Date; expires_at: Date };
type Outcome = (Invited & { mail_id: string | null }) | null;

/** Replaces the user's earlier invitation, so that its links no longer work. */
const invite = `
with asked as (
  select r.* from jsonb_to_recordset($2) as r (n integer, event_id uuid, login_id text, invitation_id uuid, link_hash text, scopes text[])
  order by r.login_id collate "C"
), known as (
  select asked.*, account.user_id, account.enabled, account.first_name, account.last_name, account.email from asked
  cross join lateral (
    select own.user_id, own.enabled, own.first_name, own.last_name, own.email from "user" own where own.tenant_id = $1 and own.login_id = asked.login_id
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
select known.n, known.user_id, known.enabled, known.first_name, known.last_name, known.email from known`;

async function inviteUsers(ctx: TenantContext, requests: readonly Request[]): Promise<Outcome[]> {
  const now = ctx.now();
  const until = new Date(now.getTime() + days * 86_400_000);
  const rows = JSON.stringify(requests.map(({ row }, n) => ({ n, ...row })));
  const values = [ctx.tenantId, rows, now, until, until.toISOString()];
  const found = await run<Found & { n: number }>(ctx, invite, values);
  numberBeforeCommit(ctx, [ctx.tenantId]);
  const outcomes: Outcome[] = requests.map(() => null);
  const mailed: Mailed[] = [];
  const entries: NewAudit[] = [];
  for (const { n, ...user } of found) {
    const request = requests[n];
    const outcome = { ...user, created_at: now, expires_at: until, mail_id: null };
    outcomes[n] = outcome;
    if (!request || !user.enabled) continue;
    mailed.push({ request, outcome });
    entries.push({
      action: 'invitation.created',
      targetId: user.user_id,
      data: {},
      actor: request.by,
    });
  }
  await mailLinks(ctx, mailed);
  if (entries.length > 0) await appendAudit(ctx, ctx.tenantId, ...entries);
  return outcomes;
}

const submission = openVerb<Request, Outcome>({
  name: 'invite',
  key: ({ row }) => row.login_id,
  run: (ctx, calls) =>
    joinTransaction(ctx, (ctx) =>
      inviteUsers(
        ctx,
        calls.map(({ row }) => row),
      ),
    ),
});

type Mailed = { request: Request; outcome: NonNullable<Outcome> };

/** Replaces the emails of earlier invitations, whose links no longer work. */
async function mailLinks(ctx: TenantContext, invited: readonly Mailed[]): Promise<void> {
  if (invited.length === 0) return;
  await cancelMails(ctx, { userIds: invited.map(({ outcome }) => outcome.user_id), kind: 'invitation' });
  const mailed = invited.filter(
    ({ request, outcome }) => request.url !== null && canMail(ctx, outcome.email),
  );
  const ids = await queueMails(
    ctx,
    mailed.map(({ request: { row, url }, outcome }) => ({
      userId: outcome.user_id,
      kind: 'invitation',
      address: outcome.email,
      content: {
        firstName: outcome.first_name,
        lastName: outcome.last_name,
        loginId: row.login_id,
        url: url ?? '',
      },
      expiresAt: outcome.expires_at,
    })),
  );
  mailed.forEach(({ outcome }, n) => {
    outcome.mail_id = ids[n] ?? null;
  });
}

/** Invites a user to set a password. The response is the only place where the link appears. */
export async function inviting<T>(
  ctx: TenantContext,
  input: InvitationRequest,
  answer: (invited: NewInvitation) => T,
): Promise<Submission<T>> {
  if (await isSuspended(ctx, ctx.tenantId))
    throw new Problem('tenant_suspended', 'The tenant is suspended. Resume it before you invite its users.');
  const invitationId = newId(ctx.now());
  const { url, hash } = newInvitationLink(ctx, { tenantId: ctx.tenantId, invitationId });
  const row: Row = {
    event_id: newId(ctx.now()),
    login_id: input.LoginID,
    invitation_id: invitationId,
    link_hash: hash,
    scopes: sessionLimit(ctx),
  };
  const mails = input.Notify ?? true;
  return submission({ row, by: ctx.actor, url: mails ? url : null }, (made) => {
    if (!made) throw userNotFound();
    if (!made.enabled)
      throw new Problem(
        'user_disabled',
        'The user is disabled. Enable them with PUT /user/{LoginID} before you invite them.',
        { param: 'LoginID' },
      );
    const invitation = toInvitation({ ...row, ...made, status: 'pending', accepted_at: null });
    return answer({ ...invitation, InvitationURL: url, MailID: made.mail_id });
  });
}

const invitingRow = (ctx: TenantContext, row: InvitationRequest): Promise<Submission<RowDone>> =>
  inviting(ctx, row, ({ LoginID, InvitationID, InvitationURL, ExpiresAt, MailID }) => ({
    Status: 201,
    LoginID,
    InvitationID,
    InvitationURL,
    ExpiresAt,
    MailID,
  }));

const invitationRows: BulkOperation<InvitationRequest> = {
  row: InvitationRequest,
  record: User,
  names: ['LoginID'],
  ids: ['InvitationID', 'InvitationURL', 'ExpiresAt', 'MailID'],
  prepare: invitingRow,
  plan: (ctx, rows) => planEach(ctx, rows, invitingRow),
};

export const inviteInBulk = bulk(invitationRows);
