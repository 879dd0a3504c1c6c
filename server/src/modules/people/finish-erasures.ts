import type { Context } from '../../platform/context.ts';
import { forTenant } from '../../platform/db/queues.ts';
import { run } from '../../platform/db/transaction.ts';
import { finishErasure } from './erase.ts';

const underWay = `/* across tenants: unfinished erasures of all tenants */
select tenant_id, erasure_id from erasure_under_way order by erasure_id limit 100`;

/** Job: resumes erasures whose node has crashed. If another node is still working on one, it finishes sooner. */
export async function finishErasures(ctx: Context): Promise<void> {
  const found = await run<{ tenant_id: string; erasure_id: string }>(ctx, {
    name: 'erasures_under_way',
    text: underWay,
    values: [],
  });
  for (const { tenant_id, erasure_id } of found) await finishErasure(forTenant(ctx, tenant_id), erasure_id);
}
