import { inBatches } from '../../db/batches.ts';
import { run } from '../../db/transaction.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { keyedHash } from '../../infra/keys/key-ring.ts';
import { toNfc } from '../../lib/unicode.ts';

/**
 * Maximum emails per hour from one tenant to one address. Each tenant has its own limit, so no
 * tenant can use up another's. Urgent emails are counted separately.
 */
const maxPerAddress = 10;
const hour = 3_600_000;

/** Ignores the part after a plus sign, because all of these addresses belong to the same mailbox. */
function addressMark(ctx: TenantContext, address: string): string {
  const [, name = '', domain = ''] = /^([^+]*).*(@.*)$/.exec(toNfc(address).toLowerCase()) ?? [];
  return keyedHash(ctx.keys, 'recipient', `${name}${domain}\0${ctx.tenantId}`);
}

const count = `
insert into mail_recipient as own (address_mark, urgent, hour_began_at, sent) values ($1, $2, $3, 1)
on conflict (address_mark, urgent) do update set
  hour_began_at = case when own.hour_began_at <= $4 then $3 else own.hour_began_at end,
  sent = case when own.hour_began_at <= $4 then 1 else least(own.sent + 1, $5) end
returning hour_began_at, sent`;

/**
 * Counts an email to the address. Returns null if the email may be sent now, otherwise the time of
 * the next attempt.
 */
export async function countRecipient(
  ctx: TenantContext,
  address: string,
  urgent: boolean,
): Promise<Date | null> {
  const now = ctx.now();
  const values = [addressMark(ctx, address), urgent, now, new Date(now.getTime() - hour), maxPerAddress + 1];
  const [own] = await run<{ hour_began_at: Date; sent: number }>(ctx, count, values);
  return own && own.sent > maxPerAddress ? new Date(own.hour_began_at.getTime() + hour) : null;
}

const postpone = `
with kept as (
  update mail set due_at = $3, attempts = attempts - 1, attempted_at = null
  where tenant_id = $1 and mail_id = $2 and status = 'queued' returning urgent
)
update mail_queue own set wake_at = least(own.wake_at, $3::timestamptz), sent = greatest(own.sent - 1, 0) from kept
where own.tenant_id = $1 and own.urgent = kept.urgent`;

/**
 * Undoes the claim of an email that the service did not try to send, so that the email does not count towards
 * the limits.
 */
export async function postponeMail(ctx: TenantContext, mailId: string, until: Date): Promise<void> {
  await run(ctx, postpone, [ctx.tenantId, mailId, until]);
}

const forget = `
delete from mail_recipient where (address_mark, urgent) in (
  select address_mark, urgent from mail_recipient where hour_began_at <= $1 order by hour_began_at limit $2
) returning 1`;

/** Job: deletes counts that were started more than an hour ago. */
export async function forgetRecipients(ctx: Context): Promise<void> {
  const until = new Date(ctx.now().getTime() - hour);
  await inBatches(ctx, 500, async (ctx, rows) => {
    const gone = await run(ctx, forget, [until, rows]);
    return gone.length;
  });
}
