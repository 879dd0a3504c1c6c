import type { Context, TenantContext } from '../../platform/context.ts';
import { servedTenants } from '../../platform/db/citus/node-tenants.ts';
import { run } from '../../platform/db/transaction.ts';

type Counting = {
  name: string;
  /** SQL: the tenants with uncounted events, without those in $1, if `isServed` with `$2`. */
  text: string;
  /** Counts one batch of a tenant's events. */
  count: (ctx: TenantContext) => Promise<unknown>;
};

/** After this time, a run ends with the current round, so that its failures are reported. */
const maxRunMilliseconds = 20_000;

/**
 * In each round, one batch is counted for every tenant with new events, so a tenant with many events does not hold up
 * the others. If a batch fails, its tenant is left for the next run.
 */
export async function countInTurns(ctx: Context, { name, text, count }: Counting): Promise<void> {
  const failures = new Map<string, unknown>();
  const end = performance.now() + maxRunMilliseconds;
  for (;;) {
    const values = [[...failures.keys()], await servedTenants(ctx)];
    const tenants = await run<{ tenant_id: string }>(ctx, { name, text, values });
    for (const { tenant_id: tenantId } of tenants)
      await count({ ...ctx, tenantId }).catch((error) => failures.set(tenantId, error));
    if (tenants.length === 0 || performance.now() > end) break;
  }
  const errors = [...failures.values()];
  if (errors.length > 0)
    throw new AggregateError(errors, `Events of ${errors.length} tenants could not be counted.`);
}
