import { setTimeout as pause } from 'node:timers/promises';
import { forTenant } from '../../db/transaction.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { countMail } from '../../infra/context/counters.ts';
import {
  type Attachment,
  maxConnections,
  type Outcome,
  openSender,
  type Sender,
} from '../../infra/mail/send.ts';
import { nextAttempt } from '../events/webhooks/results.ts';
import { type ClaimedMail, claimMail, dueQueues, type Queue } from './claim.ts';
import type { MailAttachments, MailChecks, MailContent } from './kinds.ts';
import { canMail, findBounced, openContent } from './queue.ts';
import { countRecipient, postponeMail } from './recipients.ts';
import { recordResult } from './results.ts';
import { mailBranding, writeMail } from './write-mail.ts';

/** The queues whose next email is being sent, by name. */
type Sending = Map<string, { urgent: boolean; done: Promise<void> }>;

const allOf = (sending: Sending) => [...sending.values()].map(({ done }) => done);

/**
 * Job: sends the emails that are due. A free connection takes the next email from the queue that has waited longest. A
 * queue has only one connection at a time, so one tenant's recipients delay only that queue.
 */
export async function sendMails(
  ctx: Context,
  checks: MailChecks = {},
  attachments: MailAttachments = {},
): Promise<void> {
  const { mail: server } = ctx.config;
  if (server === null) return;
  const sender = { ...openSender(server), checks, attachments };
  const sending: Sending = new Map();
  const pass: Pass = { endsAt: 0, skipped: new Set(), unavailable: new Set() };
  try {
    for (;;) {
      resetPassIfExpired(pass);
      for (const queue of await nextQueues(ctx, pass, sending)) {
        const name = nameOf(queue);
        const work = serve(forTenant(ctx, queue.tenant_id), { sender, queue, pass });
        const done = work.then(() => void sending.delete(name));
        sending.set(name, { urgent: queue.urgent, done });
      }
      if (sending.size === 0) return;
      const stop = new AbortController();
      const newLook = pause(passMilliseconds, undefined, { signal: stop.signal, ref: false }).catch(() => {});
      await Promise.race([...allOf(sending), newLook]);
      stop.abort();
    }
  } finally {
    await Promise.all(allOf(sending));
    sender.close();
  }
}

/** The failures of this run. They are cleared from time to time, because a slow recipient can prolong a run. */
type Pass = {
  endsAt: number;
  /** Queues that are skipped in this run: nothing could be claimed, or an email failed without an answer. */
  skipped: Set<string>;
  /** Tenants whose emails failed one after the other because the mail server was unavailable. */
  unavailable: Set<string>;
};

const passMilliseconds = 2_000;

function resetPassIfExpired(pass: Pass): void {
  if (performance.now() < pass.endsAt) return;
  pass.endsAt = performance.now() + passMilliseconds;
  pass.skipped.clear();
  pass.unavailable.clear();
}

/** After failures for this many tenants in a row, the mail server itself is considered unavailable. */
const maxUnavailable = 3;

const nameOf = ({ tenant_id, urgent }: Queue) => `${tenant_id} ${urgent}`;

/** Emails that are not urgent leave the other connections to those that are. */
const maxNotUrgent = maxConnections - 2;

/** Returns one due queue for each free connection, urgent ones first. */
async function nextQueues(ctx: Context, pass: Pass, sending: Sending): Promise<Queue[]> {
  const free = maxConnections - sending.size;
  if (free === 0 || ctx.load.draining || pass.unavailable.size >= maxUnavailable) return [];
  const next = async (urgent: boolean, max: number) => {
    const due = max > 0 ? await dueQueues(ctx, maxConnections + pass.skipped.size, urgent) : [];
    const others = due.filter((queue) => !sending.has(nameOf(queue)) && !pass.skipped.has(nameOf(queue)));
    return others.slice(0, max);
  };
  const urgent = await next(true, free);
  const notUrgent = [...sending.values()].filter(({ urgent }) => !urgent).length;
  return [...urgent, ...(await next(false, Math.min(free - urgent.length, maxNotUrgent - notUrgent)))];
}

/**
 * Sends the queue's next email. An error with one email does not stop the others. That email is
 * tried again when its claim expires.
 */
async function serve(
  ctx: TenantContext,
  { sender, queue, pass }: { sender: CheckingSender; queue: Queue; pass: Pass },
): Promise<void> {
  const result = await sendNext(ctx, sender, queue).catch((error: unknown) => {
    ctx.log.warn({ err: error, tenant: ctx.tenantId }, 'an email was not sent');
    return 'none' as const;
  });
  if (result === 'none' || result === 'unavailable') pass.skipped.add(nameOf(queue));
  if (result === 'unavailable') pass.unavailable.add(ctx.tenantId);
  else if (result !== 'none') pass.unavailable.clear();
}

type CheckingSender = Sender & { checks: MailChecks; attachments: MailAttachments };

/** `none` means that nothing was claimed. */
type Result = Outcome['result'] | 'none';

async function sendNext(ctx: TenantContext, sender: CheckingSender, tenant: Queue): Promise<Result> {
  const mail = await claimMail(ctx, tenant.urgent);
  if (!mail) return 'none';
  const { mail_id: mailId, address } = mail;
  const end = async (status: 'failed' | 'cancelled') => {
    await recordResult(ctx, { mailId, status, answer: null, dueAt: null });
    return 'rejected' as const;
  };
  // The suspension revoked the link in an older email.
  if (tenant.resumed_at && mail.created_at < tenant.resumed_at) return end('cancelled');
  if (mail.expires_at <= ctx.now()) return end('failed');
  if (!mail.enabled || !canMail(ctx, address)) return end('cancelled');
  // Another email to the same address may have bounced since this one was queued.
  if ((await findBounced(ctx, [address])).size > 0) return end('cancelled');
  const outcome = await attempt(ctx, { sender, tenant, mail, to: address });
  if (outcome === null) return end('cancelled');
  if (outcome.until) await postponeMail(ctx, mailId, outcome.until);
  else await recordOutcome(ctx, mail, outcome);
  return outcome.result;
}

/** `until` is the time of the next attempt if the address has received too many emails. */
type Attempt = Outcome & { until?: Date };

/** Returns null if the email should no longer be sent. */
async function attempt(
  ctx: TenantContext,
  { sender, tenant, mail, to }: { sender: CheckingSender; tenant: Queue; mail: ClaimedMail; to: string },
): Promise<Attempt | null> {
  const { mail_id: id, kind, expires_at: expiresAt } = mail;
  const branding = await mailBranding(ctx);
  const write = (content: MailContent, attachment: Attachment | null) => {
    const values = { kind, tenantName: tenant.name, language: tenant.language, expiresAt };
    return writeMail({ ...values, branding, ...content, isAttached: attachment !== null });
  };
  let content: MailContent;
  try {
    content = openContent(ctx, { tenant_id: ctx.tenantId, mail_id: id }, mail.content);
    write(content, null);
  } catch (error) {
    // An email that cannot be read must not stop the others.
    return { result: 'rejected', answer: null, error };
  }
  const current = await (sender.checks[kind]?.(ctx, content) ?? content);
  if (current === null) return null;
  // A retried email was already counted at its first attempt.
  const until = mail.attempts === 1 ? await countRecipient(ctx, to, tenant.urgent) : null;
  if (until) return { result: 'delayed', answer: null, until };
  let attached = { attachment: null as Attachment | null, content: current };
  try {
    attached = (await sender.attachments[kind]?.(ctx, current)) ?? attached;
  } catch (error) {
    return { result: 'delayed', answer: null, error };
  }
  const { attachment } = attached;
  const outcome = await sender.send({ id, to, ...write(attached.content, attachment), attachment });
  countMail(ctx, outcome.result);
  return outcome;
}

async function recordOutcome(ctx: TenantContext, mail: ClaimedMail, outcome: Outcome): Promise<void> {
  const { mail_id: mailId, attempts, created_at: first } = mail;
  const { result, answer, error } = outcome;
  // An answer about a recipient contains their address, so it is shown to the tenant but not logged.
  if (answer === null && error)
    ctx.log.warn({ err: error, tenant: ctx.tenantId, mail: mailId }, 'an email was not sent');
  if (result === 'sent') return recordResult(ctx, { mailId, status: 'sent', answer, dueAt: null });
  const dueAt =
    result === 'rejected' ? null : nextAttempt({ attempts, first, now: ctx.now(), retryAfter: null });
  await recordResult(ctx, { mailId, status: dueAt ? 'queued' : 'failed', answer, dueAt });
}
