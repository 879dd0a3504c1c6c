import type { Context } from '../../platform/context.ts';
import { forTenant } from '../../platform/db/queues.ts';
import { run, transaction } from '../../platform/db/transaction.ts';
import { eraseSome } from './erase-batches.ts';

const pageRows = 100;

const underWay = `/* across tenants: unfinished erasures of all tenants */
select tenant_id, erasure_id from erasure_under_way where erasure_id > $1::uuid order by erasure_id limit ${pageRows}`;

type UnderWay = { tenant_id: string; erasure_id: string };

/** Reads the unfinished erasures of all tenants, oldest first. */
async function readUnderWay(ctx: Context): Promise<UnderWay[]> {
  const found: UnderWay[] = [];
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after !== undefined; ) {
    const page: UnderWay[] = await run(ctx, { name: 'erasures_under_way', text: underWay, values: [after] });
    found.push(...page);
    after = page.length === pageRows ? page.at(-1)?.erasure_id : undefined;
  }
  return found;
}

/**
 * Job: resumes erasures whose caller has disconnected or whose node has crashed. Tenants take turns,
 * one batch each. A failed erasure does not stop the others, but the job fails at the end.
 */
export async function finishErasures(ctx: Context): Promise<void> {
  const errors: unknown[] = [];
  const queues = Map.groupBy(await readUnderWay(ctx), ({ tenant_id }) => tenant_id);
  while (queues.size > 0)
    for (const [tenantId, [first, ...others]] of queues) {
      const isOver =
        !first ||
        (await transaction(forTenant(ctx, tenantId), (ctx) => eraseSome(ctx, first.erasure_id)).catch(
          (error) => {
            errors.push(error);
            return true;
          },
        ));
      if (isOver && others.length === 0) queues.delete(tenantId);
      else if (isOver) queues.set(tenantId, others);
    }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} erasures could not be finished.`);
}
