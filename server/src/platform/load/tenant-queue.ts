import type { Context, TenantContext } from '../context.ts';
import { forTenant } from '../db/queues.ts';
import { countRejection } from '../operations/counters.ts';
import { reserve } from './budgets.ts';
import { overloaded } from './fair-queue.ts';

/**
 * Runs an anonymous caller's change to a tenant's rows, such as a sign-in, in the tenant's queue, because the
 * change can wait for the tenant's locks. Only a few such changes may wait at a time, so that the tenant
 * cannot occupy the slots of all anonymous callers.
 */
export async function inTenantQueue<Result>(
  ctx: Context,
  tenantId: string,
  work: (ctx: TenantContext) => Promise<Result>,
): Promise<Result> {
  const release = reserve(ctx.admission.anonymousChanges, tenantId);
  if (!release) {
    countRejection(ctx, 'anonymous', 'tenant_concurrency');
    throw overloaded();
  }
  try {
    return await work(forTenant(ctx, tenantId));
  } finally {
    release();
  }
}
