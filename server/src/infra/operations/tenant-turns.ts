import { forTenant } from '../../db/owners.ts';
import { run } from '../../db/transaction.ts';
import type { Context, TenantContext } from '../context/context.ts';
import { servedTenants } from './node-tenants.ts';

/** After this time, a run ends with the current round, so that its failures are reported. */
const maxRunMilliseconds = 20_000;

type Turns = {
  /** Of the statement. */
  name: string;
  /** SQL: the tenants that have work, without those in `$1`, if `isServed` with `$2`. `values` begin at `$3`. */
  text: string;
  values?: () => readonly unknown[];
  /** Does one batch. False leaves the tenant for the next run, for example because another node is at work. */
  work: (ctx: TenantContext) => Promise<unknown>;
};

/**
 * Job: works for all tenants. In each round, each of them gets one batch, so that none holds up the others. A tenant
 * whose batch fails is left for the next run, and the job fails at the end.
 */
export async function serveInTurns(ctx: Context, { name, text, values, work }: Turns): Promise<void> {
  const skipped = new Map<string, unknown>();
  const end = performance.now() + maxRunMilliseconds;
  while (!ctx.load.draining && performance.now() < end) {
    const given = [[...skipped.keys()], await servedTenants(ctx), ...(values?.() ?? [])];
    const tenants = await run<{ tenant_id: string }>(ctx, { name, text, values: given });
    if (tenants.length === 0) break;
    for (const { tenant_id } of tenants)
      try {
        if ((await work(forTenant(ctx, tenant_id))) === false) skipped.set(tenant_id, null);
      } catch (error) {
        skipped.set(tenant_id, error);
      }
  }
  const failures = [...skipped.values()].filter((error) => error !== null);
  if (failures.length > 0)
    throw new AggregateError(failures, `The work for ${failures.length} tenants failed (${name}).`);
}
