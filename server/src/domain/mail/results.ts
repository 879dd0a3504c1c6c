import { run } from '../../db/transaction.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { deleteByTenant } from '../../infra/operations/delete-by-tenant.ts';
import { isServed } from '../../infra/operations/jobs.ts';
import { storable } from '../../lib/unicode.ts';
import type { MailStatus } from './kinds.ts';

/** Longer answers are truncated. */
const maxAnswer = 500;

type Result = { mailId: string; status: MailStatus; answer: string | null; dueAt: Date | null };

/** A sent email is recorded as sent, even if it was cancelled in the meantime, but not if it has already bounced. */
const end = `
update mail set status = $3::text, answer = $4, content = null
where tenant_id = $1 and mail_id = $2 and (status = 'queued' or ($3::text = 'sent' and status <> 'bounced'))`;

const retry = `
with kept as (
  update mail set answer = $3, due_at = $4 where tenant_id = $1 and mail_id = $2 and status = 'queued' returning urgent
)
update mail_queue set wake_at = least(mail_queue.wake_at, $4::timestamptz) from kept
where mail_queue.tenant_id = $1 and mail_queue.urgent = kept.urgent`;

/** Truncates an answer twice, because white space, which is collapsed in between, may make up most of it. */
export function shortened(answer: string): string {
  const text = answer.slice(0, 4 * maxAnswer).replaceAll(/\s+/g, ' ');
  return storable(text.slice(0, maxAnswer));
}

export async function recordResult(ctx: TenantContext, result: Result): Promise<void> {
  const { mailId, status, answer, dueAt } = result;
  const stored = answer === null ? null : shortened(answer);
  if (dueAt) {
    await run(ctx, retry, [ctx.tenantId, mailId, stored, dueAt]);
    return;
  }
  await run(ctx, end, [ctx.tenantId, mailId, status, stored]);
}

const findOld = `/* across tenants: old emails of all tenants */
select tenant_id, jsonb_build_object('mail_id', mail_id) as key from mail
where created_at < $1 and tenant_id <> all($3::text[]) and ${isServed('tenant_id', '$4')} order by created_at limit $2`;

const purge = `
delete from mail where tenant_id = $1 and mail_id in (
  select held.mail_id from mail held join jsonb_to_recordset($2) as old (mail_id uuid) on held.mail_id = old.mail_id
  where held.tenant_id = $1 and held.created_at < $3 for update of held skip locked
) returning 1`;

const keptDays = 90;
const purgeBatchSize = 500;

/** Job: removes old entries from the log. */
export async function purgeMails(ctx: Context): Promise<void> {
  const until = new Date(ctx.now().getTime() - keptDays * 86_400_000);
  await deleteByTenant(ctx, {
    find: findOld,
    remove: purge,
    until,
    max: purgeBatchSize,
  });
}
