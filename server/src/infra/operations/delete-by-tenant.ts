import { nextBatchSize } from '../../db/batches.ts';
import { run } from '../../db/transaction.ts';
import type { Context } from '../context/context.ts';
import { servedTenants } from './jobs.ts';

type Found = { tenant_id: string; key: object };

/**
 * Deletes rows of all tenants. `find` reads up to `$2` of them, at most as old as `$1` and not of the tenants `$3`, if
 * `isServed` with `$4`, as `tenant_id` and a JSON object `key`. It locks nothing, because Citus cannot lock rows of several tenants. `remove`
 * deletes those of the tenant `$1` with a key in the JSON array `$2` that are still older than `$3`, and skips locked rows.
 */
export async function deleteByTenant(
  ctx: Context,
  input: { find: string; remove: string; until: Date; max: number },
): Promise<void> {
  const { find, remove, until, max } = input;
  // The rest of a tenant's rows is left for the next run if some are locked, so that they hold up no other tenant.
  const locked = new Set<string>();
  for (let rows = Math.min(50, max); ; ) {
    const begun = performance.now();
    const found = await run<Found>(ctx, find, [until, rows, [...locked], await servedTenants(ctx)]);
    for (const [tenantId, ofTenant] of Map.groupBy(found, ({ tenant_id }) => tenant_id)) {
      const keys = JSON.stringify(ofTenant.map(({ key }) => key));
      const gone = await run(ctx, remove, [tenantId, keys, until]);
      if (gone.length < ofTenant.length) locked.add(tenantId);
    }
    if (found.length < rows) return;
    rows = nextBatchSize(rows, performance.now() - begun, max);
  }
}
