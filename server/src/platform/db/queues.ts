import { isAnonymousQueue, operatorQueue } from '../load/fair-queue.ts';
import { type Database, kyselyOn, originOf } from './dialect.ts';

/**
 * The same context, with statements and transactions waiting in this database queue. No effect inside a
 * transaction.
 */
export function inQueue<C extends { db: Database }>(ctx: C, queue: string): C {
  const origin = originOf(ctx.db);
  return origin ? { ...ctx, db: kyselyOn(origin.engine, queue) } : ctx;
}

/** Whether it is not known yet on whose behalf the context acts. */
export const isAnonymous = (ctx: { db: Database }): boolean => isAnonymousQueue(originOf(ctx.db)?.queue);

/**
 * The context of a tenant: everything done with it waits in the tenant's queue, whatever the statements name.
 */
export function forTenant<C extends { db: Database }>(ctx: C, tenantId: string): C & { tenantId: string } {
  return { ...inQueue(ctx, tenantId), tenantId };
}

/** A context in the queue of a tenant, or of the operator. */
export function inQueueOf<C extends { db: Database }>(ctx: C, tenantId: string | null): C {
  return inQueue(ctx, tenantId ?? operatorQueue);
}
