import type { Context, TenantContext } from '../../platform/context.ts';
import { forTenant } from '../../platform/db/queues.ts';
import { limit } from '../../platform/load/limit.ts';
import { maxConnections, type Outcome, openSender, type Sender } from '../../platform/mail/send.ts';
import { nextAttempt } from '../webhooks/backoff.ts';
import { type ClaimedMail, claimMail, dueSenders, type Sender as Tenant } from './claim.ts';
import { openContent } from './content.ts';
import type { MailChecks, MailContent } from './kinds.ts';
import { canMail } from './queue.ts';
import { recordResult } from './results.ts';
import { writeMail } from './write-mail.ts';

/** Tenants that get a turn before the next look. */
const tenantsPerRound = 50;

/**
 * Job: sends what is due, one e-mail of each tenant at a time. If the server is unavailable, the rest waits for the next
 * run.
 */
export async function sendMails(ctx: Context, checks: MailChecks = {}): Promise<void> {
  const { mail: server } = ctx.config;
  if (server === null) return;
  const sender = { ...openSender(server), checks };
  try {
    while (!ctx.admission.draining) {
      const tenants = await dueSenders(ctx, tenantsPerRound);
      if (tenants.length === 0 || !(await sendRound(ctx, sender, tenants))) return;
    }
  } finally {
    sender.close();
  }
}

type CheckingSender = Sender & { checks: MailChecks };

/** Returns false if nothing more can be sent at present: the server is unavailable, or others hold what is due. */
async function sendRound(ctx: Context, sender: CheckingSender, tenants: readonly Tenant[]): Promise<boolean> {
  const inTurn = limit(maxConnections);
  const results = new Set<Result>();
  const send = async (tenant: Tenant) => {
    if (results.has('unavailable') || ctx.admission.draining) return;
    const own = forTenant(ctx, tenant.tenant_id);
    results.add(await sendNext(own, sender, tenant).catch((error: unknown) => fail(own, error)));
  };
  await Promise.all(tenants.map((tenant) => inTurn(() => send(tenant))));
  results.delete('none');
  return results.size > 0 && !results.has('unavailable');
}

/** An error about one e-mail, which is tried again when its claim ends, must not stop the others. */
function fail(ctx: TenantContext, err: unknown) {
  ctx.log.warn({ err, tenant: ctx.tenantId }, 'an e-mail was not sent');
  return 'none' as const;
}

/** `none`: nothing was claimed. */
type Result = Outcome['result'] | 'none';

async function sendNext(ctx: TenantContext, sender: CheckingSender, tenant: Tenant): Promise<Result> {
  const mail = await claimMail(ctx, tenant.urgent);
  if (!mail) return 'none';
  const { mail_id: mailId, address } = mail;
  const end = async (status: 'failed' | 'cancelled') => {
    await recordResult(ctx, { mailId, status, answer: null, dueAt: null });
    return 'rejected' as const;
  };
  // A suspension has revoked the link.
  if (tenant.resumed_at && mail.created_at < tenant.resumed_at) return end('cancelled');
  if (mail.expires_at <= ctx.now()) return end('failed');
  if (!mail.enabled || !canMail(ctx, address)) return end('cancelled');
  const outcome = await attempt(ctx, { sender, tenant, mail, to: address });
  if (outcome === null) return end('cancelled');
  await recordOutcome(ctx, mail, outcome);
  return outcome.result;
}

/** Returns null if the e-mail should not be sent any more. */
async function attempt(
  ctx: TenantContext,
  { sender, tenant, mail, to }: { sender: CheckingSender; tenant: Tenant; mail: ClaimedMail; to: string },
): Promise<Outcome | null> {
  const { mail_id: id, kind, expires_at: expiresAt } = mail;
  let content: MailContent;
  let text: ReturnType<typeof writeMail>;
  try {
    content = openContent(ctx, { tenant_id: ctx.tenantId, mail_id: id }, mail.content);
    text = writeMail({ kind, tenantName: tenant.name, language: tenant.language, expiresAt, ...content });
  } catch (error) {
    // One that cannot be read must not stop the others.
    return { result: 'rejected', answer: null, error };
  }
  const check = sender.checks[kind];
  if (check && !(await check(ctx, content, expiresAt))) return null;
  return sender.send({ id, to, ...text });
}

async function recordOutcome(ctx: TenantContext, mail: ClaimedMail, outcome: Outcome): Promise<void> {
  const { mail_id: mailId, attempts, created_at: first } = mail;
  const { result, answer, error } = outcome;
  // An answer about a recipient contains their address. It is shown to the tenant, and not logged.
  if (answer === null && error)
    ctx.log.warn({ err: error, tenant: ctx.tenantId, mail: mailId }, 'an e-mail was not sent');
  if (result === 'sent') return recordResult(ctx, { mailId, status: 'sent', answer, dueAt: null });
  const dueAt =
    result === 'rejected' ? null : nextAttempt({ attempts, first, now: ctx.now(), retryAfter: null });
  await recordResult(ctx, { mailId, status: dueAt ? 'queued' : 'failed', answer, dueAt });
}
