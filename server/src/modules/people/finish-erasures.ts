import type { Context } from '../../platform/context.ts';
import { forTenant } from '../../platform/db/queues.ts';
import { run } from '../../platform/db/transaction.ts';
import { finishErasure } from './erase.ts';

const pageRows = 100;

const underWay = `/* across tenants: unfinished erasures of all tenants */
select tenant_id, erasure_id from erasure_under_way where erasure_id > $1::uuid order by erasure_id limit ${pageRows}`;

/**
 * Job: resumes erasures whose node has crashed. If a node is still working on an erasure, the
 * erasure only finishes sooner. A failed erasure does not stop the others, but the job fails at the
 * end.
 */
export async function finishErasures(ctx: Context): Promise<void> {
  const errors: unknown[] = [];
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after !== undefined; ) {
    const page: { tenant_id: string; erasure_id: string }[] = await run(ctx, {
      name: 'erasures_under_way',
      text: underWay,
      values: [after],
    });
    for (const { tenant_id, erasure_id } of page)
      await finishErasure(forTenant(ctx, tenant_id), erasure_id).catch((error) => errors.push(error));
    after = page.length === pageRows ? page.at(-1)?.erasure_id : undefined;
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} erasures could not be finished.`);
}
