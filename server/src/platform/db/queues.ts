import { operatorQueue } from '../load/fair-queue.ts';
import { type Database, databaseInQueue } from './dialect.ts';

/**
 * Returns the same context with another database queue for its statements and transactions. Has no
 * effect inside a transaction.
 */
export function inQueue<C extends { db: Database }>(ctx: C, queue: string): C {
  const db = databaseInQueue(ctx.db, queue);
  return db ? { ...ctx, db } : ctx;
}

/** A tenant's context: all of its statements wait in the tenant's queue, whichever tenant they name. */
export function forTenant<C extends { db: Database }>(ctx: C, tenantId: string): C & { tenantId: string } {
  return { ...inQueue(ctx, tenantId), tenantId };
}

/** A context that uses the tenant's queue, or the operator's queue if there is no tenant. */
export function inQueueOf<C extends { db: Database }>(ctx: C, tenantId: string | null): C {
  return inQueue(ctx, tenantId ?? operatorQueue);
}
