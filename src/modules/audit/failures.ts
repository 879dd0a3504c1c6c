import type { Context } from '../../platform/context.ts';
import { run, transaction } from '../../platform/db/transaction.ts';
import { appendAudit } from './append.ts';

/** Anyone may fail, as often as they like: beyond so many in so long, failures of a chain are counted only. */
const mostRecorded = 200;
const windowMinutes = 15;

const count = `
insert into audit_chain as head (tenant_id, number, at, hash, seal, failures, failures_from)
values ($1, 0, $2, '', '', 1, $2)
on conflict (tenant_id) do update set
  failures = case when head.failures_from > $3::timestamptz then head.failures + 1 else 1 end,
  failures_from = case when head.failures_from > $3::timestamptz then head.failures_from else $2 end
returning head.failures,
  (select before.failures from audit_chain before where before.tenant_id = $1) as earlier`;

/** `userId`: whom the name belongs to; null: nobody, and the name is not kept. */
export async function recordFailedSignIn(
  ctx: Context,
  tenantId: string,
  input: { method: 'link' | 'password'; userId: string | null },
): Promise<void> {
  await transaction(ctx, async (ctx) => {
    const now = ctx.now();
    const values = [tenantId, now, new Date(now.getTime() - windowMinutes * 60_000)];
    const [row] = await run<{ failures: number; earlier: number | null }>(ctx, {
      name: 'count_failed_sign_in',
      text: count,
      values,
    });
    if (!row || row.failures > mostRecorded) return;
    const unrecorded = row.failures === 1 ? Math.max(0, (row.earlier ?? 0) - mostRecorded) : 0;
    await appendAudit(ctx, tenantId, {
      action: 'sign_in.failed',
      targetId: input.userId,
      data: { Method: input.method, ...(unrecorded > 0 ? { Unrecorded: unrecorded } : {}) },
    });
  });
}
