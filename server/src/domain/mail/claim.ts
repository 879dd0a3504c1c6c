import { ownRows } from '../../db/own-rows.ts';
import { run, transaction } from '../../db/transaction.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { isServed, servedTenants } from '../../infra/operations/jobs.ts';
import { accountKinds, type MailKind } from './kinds.ts';

/** A tenant's queue with an email that is due. */
export type Queue = {
  tenant_id: string;
  urgent: boolean;
  name: string;
  language: string;
  resumed_at: Date | null;
};

const due = `/* across tenants: one job sends the emails of all tenants */
select waiting.tenant_id, waiting.urgent, client.name, client.language, client.resumed_at from mail_queue waiting
join tenant client on client.tenant_id = waiting.tenant_id and client.status = 'active'
where waiting.wake_at <= $1 and waiting.urgent = $3 and ${isServed('waiting.tenant_id', '$4')} order by waiting.wake_at limit $2`;

/** The queues that have waited longest. Excludes the queues of suspended tenants. */
export async function dueQueues(ctx: Context, max: number, urgent: boolean): Promise<Queue[]> {
  return run<Queue>(ctx, due, [ctx.now(), max, urgent, await servedTenants(ctx)]);
}

export type ClaimedMail = {
  mail_id: string;
  kind: MailKind;
  /** The user's current address, which may have been corrected since the email was queued. */
  address: string | null;
  /** Whether the user is enabled. */
  enabled: boolean;
  content: string;
  attempts: number;
  created_at: Date;
  expires_at: Date;
};

const hour = 3_600_000;
/** Longer than one attempt can take. After a crash, another node sends the email after this time. */
const leaseSeconds = 120;

const isAccountKind = `held.kind in (${accountKinds.map((kind) => `'${kind}'`).join(', ')})`;

/** Skips locked emails, which are being cancelled. Waiting for one while the queue is locked could cause a deadlock. */
const claim = `
update mail held set attempts = held.attempts + 1, attempted_at = $2, due_at = $2 + make_interval(secs => ${leaseSeconds}),
  address = case when ${isAccountKind} then held.address else coalesce(account.email, held.address) end
from "user" account
where held.tenant_id = $1 and held.mail_id = (
  select own.mail_id from mail own where own.tenant_id = $1 and own.urgent = $3 and own.status = 'queued' and own.due_at <= $2
  order by own.due_at limit 1 for update skip locked
) and account.tenant_id = $1 and account.user_id = held.user_id
returning held.mail_id, held.kind, case when ${isAccountKind} then held.address else account.email end as address, account.enabled, held.content, held.attempts, held.created_at, held.expires_at`;

const release = `
update mail_queue set hour_began_at = $3, sent = $4, wake_at = coalesce($5, (
  select greatest(own.due_at, $6) from mail own where own.tenant_id = $1 and own.urgent = $2 and own.status = 'queued'
  order by own.due_at limit 1
)) where tenant_id = $1 and urgent = $2`;

/**
 * Takes the queue's next email, unless another node took it first or the queue has reached its limit. If the
 * queue contains more emails, it moves behind all other waiting queues.
 */
export function claimMail(ctx: TenantContext, urgent: boolean): Promise<ClaimedMail | null> {
  const now = ctx.now();
  const { mailRateLimit } = ctx.config;
  return transaction(ctx, async (ctx) => {
    const own = await ownRows(ctx, 'mail_queue', { urgent })
      .select(['hour_began_at', 'sent'])
      .where('wake_at', '<=', now)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (!own) return null;
    const isSameHour = own.hour_began_at !== null && now.getTime() - own.hour_began_at.getTime() < hour;
    const began = isSameHour && own.hour_began_at ? own.hour_began_at : now;
    const sent = isSameHour ? own.sent : 0;
    // Urgent emails are limited only per address: otherwise, anyone could use up a tenant's limit by
    // requesting password resets.
    const isAtLimit = !urgent && mailRateLimit > 0 && sent >= mailRateLimit;
    const [mail] = isAtLimit ? [] : await run<ClaimedMail>(ctx, claim, [ctx.tenantId, now, urgent]);
    const wakeAt = isAtLimit ? new Date(began.getTime() + hour) : null;
    await run(ctx, release, [ctx.tenantId, urgent, began, sent + (mail ? 1 : 0), wakeAt, now]);
    return mail ?? null;
  });
}
