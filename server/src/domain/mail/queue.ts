import { run } from '../../db/transaction.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { decrypt, encrypt, encryptedBy } from '../../infra/keys/key-ring.ts';
import { isServed, servedTenants } from '../../infra/operations/jobs.ts';
import { isMailAddress } from '../../lib/address.ts';
import { newId } from '../../lib/ids.ts';
import { foldCase } from '../../lib/unicode.ts';
import { isUrgent, type MailContent, type MailKind } from './kinds.ts';

const find = `
select sent.folded from unnest($2::text[]) sent (folded) where exists (
  select from "user" account where account.tenant_id = $1 and account.email_bounced_at is not null
    and account.folded_email = sent.folded
)`;

/** The addresses that get no email from this tenant, because an email to them has bounced. */
export async function findBounced(
  ctx: TenantContext,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  if (addresses.length === 0) return new Set();
  const found = await run<{ folded: string }>(ctx, find, [ctx.tenantId, addresses.map(foldCase)]);
  const folded = new Set(found.map((one) => one.folded));
  return new Set(addresses.filter((address) => folded.has(foldCase(address))));
}

type MailId = { tenant_id: string; mail_id: string };
type Place = MailId & { user_id: string };
type Keys = Pick<Context, 'keys'>;

const about = ({ tenant_id, mail_id }: MailId) =>
  ({ purpose: 'mail', place: `${tenant_id}\0${mail_id}` }) as const;

/** Encrypted, because anyone with the link in an invitation can sign in as its recipient. */
function sealContent(ctx: Keys, id: MailId, content: MailContent): string {
  return encrypt(ctx.keys, about(id), JSON.stringify(content));
}

export function openContent(ctx: Keys, id: MailId, sealed: string): MailContent {
  return JSON.parse(decrypt(ctx.keys, about(id), sealed));
}

const batch = 500;

const read = `/* across tenants: a key of the deployment encrypts all emails */
select tenant_id, user_id, mail_id, content from mail
where (tenant_id, user_id, mail_id) > ($1, $2::uuid, $3::uuid) and status = 'queued' and not starts_with(content, $4)
  and ${isServed('tenant_id', '$6')}
order by tenant_id, user_id, mail_id limit $5`;

/** Skips emails that were sent or abandoned in the meantime, because they no longer have any content. */
const write = `/* across tenants: a key of the deployment encrypts all emails */
update mail set content = made.content
from jsonb_to_recordset($1::jsonb) as made (tenant_id text, mail_id uuid, content text, before text)
where mail.tenant_id = made.tenant_id and mail.mail_id = made.mail_id and mail.content = made.before`;

/** Encrypts queued emails with the ring's first key, so that the ring's other keys can be removed. */
export async function encryptMails(ctx: Context): Promise<void> {
  const [first] = ctx.keys.keys;
  const served = await servedTenants(ctx);
  const none = '00000000-0000-0000-0000-000000000000';
  let last: Place = { tenant_id: '', user_id: none, mail_id: none };
  for (;;) {
    const values = [last.tenant_id, last.user_id, last.mail_id, encryptedBy(first.id), batch, served];
    const rows = await run<Place & { content: string }>(ctx, read, values);
    const made = rows.map((row) => {
      const content = encrypt(ctx.keys, about(row), decrypt(ctx.keys, about(row), row.content));
      return { ...row, content, before: row.content };
    });
    if (made.length > 0) await run(ctx, write, [JSON.stringify(made)]);
    last = rows.at(-1) ?? last;
    if (rows.length < batch) return;
  }
}

type NewMail = {
  userId: string;
  kind: MailKind;
  /** The user's `Email`, which clients may store in any form. */
  address: string | null;
  content: MailContent;
  /** The time at which its link stops working. */
  expiresAt: Date;
  /** Default: now. */
  dueAt?: Date;
};

/** Whether this deployment sends email and the address can receive it. */
export function canMail(ctx: TenantContext, address: string | null): address is string {
  return ctx.config.mail !== null && address !== null && isMailAddress(address);
}

const queue = `
with made as (
  insert into mail (tenant_id, mail_id, user_id, kind, urgent, address, folded_address, content, created_at, expires_at, due_at)
  select $1, r.mail_id, r.user_id, r.kind, r.urgent, r.address, r.folded_address, r.content, $3, r.expires_at, r.due_at
  from jsonb_to_recordset($2::jsonb) as r (mail_id uuid, user_id uuid, kind text, urgent boolean, address text,
    folded_address text, content text, expires_at timestamptz, due_at timestamptz)
  returning urgent, due_at
)
insert into mail_queue (tenant_id, urgent, wake_at) select $1, made.urgent, min(made.due_at) from made group by made.urgent
on conflict (tenant_id, urgent) do update set wake_at = least(mail_queue.wake_at, excluded.wake_at)`;

/**
 * Queues emails in the caller's transaction. Returns the ID of each email, or null if the email
 * cannot be sent. Each user may occur only once.
 */
export async function queueMails(ctx: TenantContext, mails: readonly NewMail[]): Promise<(string | null)[]> {
  const now = ctx.now();
  const bounced = await findBounced(
    ctx,
    mails.flatMap(({ address }) => (canMail(ctx, address) ? [address] : [])),
  );
  const rows = mails.map(({ userId, kind, address, content, expiresAt, dueAt }) => {
    if (!canMail(ctx, address) || bounced.has(address)) return null;
    const mail_id = newId(now);
    const sealed = sealContent(ctx, { tenant_id: ctx.tenantId, mail_id }, content);
    const urgent = isUrgent[kind];
    return {
      mail_id,
      user_id: userId,
      kind,
      urgent,
      address,
      folded_address: foldCase(address),
      content: sealed,
      expires_at: expiresAt.toISOString(),
      due_at: (dueAt ?? now).toISOString(),
    };
  });
  const queued = rows.filter((row) => row !== null);
  if (queued.length > 0) {
    await run(ctx, queue, [ctx.tenantId, JSON.stringify(queued), now]);
  }
  return rows.map((row) => row?.mail_id ?? null);
}

/**
 * More emails than a user can have queued. With the limit and the order, PostgreSQL uses the index of queued
 * emails.
 */
const maxQueued = 100;

const cancel = `
update mail set status = 'cancelled', content = null
where tenant_id = $1 and status = 'queued' and mail_id = any(array(
  select due.mail_id from unnest($2::uuid[]) as recipient (user_id)
  cross join lateral (
    select own.mail_id from mail own
    where own.tenant_id = $1 and own.user_id = recipient.user_id and own.status = 'queued' and ($3::text is null or own.kind = $3)
    order by own.mail_id limit ${maxQueued}
  ) due
))`;

/** The sender cancels emails from before a suspension, even one that has ended. */
const waiting = `
select own.mail_id from mail own join tenant client on client.tenant_id = $1
where own.tenant_id = $1 and own.user_id = $2 and own.status = 'queued' and own.kind = $3 and own.folded_address = $4
  and own.expires_at > $5 and coalesce(own.created_at >= client.resumed_at, true)
order by own.mail_id limit 1`;

/** The ID of an email of this kind to the user's address that waits in the queue and can still be sent. */
export async function findQueued(
  ctx: TenantContext,
  { userId, kind, address }: Pick<NewMail, 'userId' | 'kind'> & { address: string },
): Promise<string | null> {
  const [found] = await run<MailId>(ctx, waiting, [ctx.tenantId, userId, kind, foldCase(address), ctx.now()]);
  return found?.mail_id ?? null;
}

export async function cancelMails(
  ctx: TenantContext,
  { userIds, kind = null }: { userIds: readonly string[]; kind?: MailKind | null },
): Promise<void> {
  await run(ctx, cancel, [ctx.tenantId, userIds, kind]);
}
