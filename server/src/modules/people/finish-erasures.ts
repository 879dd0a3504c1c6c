import type { Context } from '../../platform/context.ts';
import { isServed, servedTenants } from '../../platform/db/citus/node-tenants.ts';
import { forTenant } from '../../platform/db/owners.ts';
import { run, transaction } from '../../platform/db/transaction.ts';
import { eraseBatch } from './erase-batches.ts';

const pageRows = 100;

const underWay = `/* across tenants: unfinished erasures of all tenants */
select tenant_id, erasure_id from erasure_under_way where erasure_id > $1::uuid
  and ${isServed('tenant_id', '$2')} order by erasure_id limit ${pageRows}`;

type UnderWay = { tenant_id: string; erasure_id: string };

/** Reads the unfinished erasures of all tenants, oldest first. */
async function readUnderWay(ctx: Context): Promise<UnderWay[]> {
  const found: UnderWay[] = [];
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after !== undefined; ) {
    const values = [after, await servedTenants(ctx)];
    const page: UnderWay[] = await run(ctx, { name: 'erasures_under_way', text: underWay, values });
    found.push(...page);
    after = page.length === pageRows ? page.at(-1)?.erasure_id : undefined;
  }
  return found;
}

/**
 * Job: resumes erasures whose caller has disconnected or whose node has crashed. In each round, every
 * tenant gets one batch. A failed erasure does not stop the others, but the job fails at the end.
 */
export async function finishErasures(ctx: Context): Promise<void> {
  const errors: unknown[] = [];
  const ended = new Set<string>();
  for (;;) {
    const left = (await readUnderWay(ctx)).filter(({ erasure_id }) => !ended.has(erasure_id));
    if (left.length === 0) break;
    for (const [tenantId, [first]] of Map.groupBy(left, ({ tenant_id }) => tenant_id)) {
      if (!first) continue;
      const batch = transaction(forTenant(ctx, tenantId), (ctx) => eraseBatch(ctx, first.erasure_id));
      const isOver = await batch.catch((error) => {
        errors.push(error);
        return true;
      });
      if (isOver) ended.add(first.erasure_id);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} erasures could not be finished.`);
}
