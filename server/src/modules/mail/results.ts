import type { Context, TenantContext } from '../../platform/context.ts';
import { inBatches } from '../../platform/db/batches.ts';
import { run } from '../../platform/db/transaction.ts';
import { storable } from '../../platform/unicode.ts';
import type { MailStatus } from './kinds.ts';

/** Longer answers are truncated. */
const maxAnswer = 500;

type Result = { mailId: string; status: MailStatus; answer: string | null; dueAt: Date | null };

/** A sent email is recorded as sent, even if it was cancelled in the meantime. */
const record = `
with kept as (
  update mail set status = $3::text, answer = $4, due_at = coalesce($5::timestamptz, due_at), content = case when $3::text = 'queued' then content end
  where tenant_id = $1 and mail_id = $2 and (status = 'queued' or $3::text = 'sent') returning urgent
)
update mail_queue set wake_at = least(mail_queue.wake_at, $5::timestamptz) from kept
where mail_queue.tenant_id = $1 and mail_queue.urgent = kept.urgent and $5::timestamptz is not null`;

export async function recordResult(ctx: TenantContext, result: Result): Promise<void> {
  const { mailId, status, answer, dueAt } = result;
  // Truncated again after collapsing white space, which may make up most of an answer.
  const text = answer
    ?.slice(0, 4 * maxAnswer)
    .replaceAll(/\s+/g, ' ')
    .slice(0, maxAnswer);
  const values = [ctx.tenantId, mailId, status, text === undefined ? null : storable(text), dueAt];
  await run(ctx, { name: 'record_mail_result', text: record, values });
}

const purge = `/* across tenants: old emails of all tenants */
delete from mail where (tenant_id, mail_id) in (
  select tenant_id, mail_id from mail where created_at < $1 order by created_at limit $2 for update skip locked
) returning 1`;

const keptDays = 90;
const purgeBatchSize = 500;

/** Job: removes old entries from the log. */
export async function purgeMails(ctx: Context): Promise<void> {
  const until = new Date(ctx.now().getTime() - keptDays * 86_400_000);
  await inBatches(ctx, purgeBatchSize, async (ctx, rows) => {
    const gone = await run(ctx, { name: 'purge_mails', text: purge, values: [until, rows] });
    return gone.length;
  });
}
