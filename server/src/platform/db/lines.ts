import { isStrangersLine, operatorLine } from '../load/turns.ts';
import { type Database, kyselyOn, originOf } from './dialect.ts';

/**
 * The same context, with statements and transactions waiting in this database queue. No effect inside a
 * transaction.
 */
export function inLine<C extends { db: Database }>(ctx: C, line: string): C {
  const origin = originOf(ctx.db);
  return origin ? { ...ctx, db: kyselyOn(origin.engine, line) } : ctx;
}

/** Whether it is not known yet on whose behalf the context acts. */
export const isOfStranger = (ctx: { db: Database }): boolean => isStrangersLine(originOf(ctx.db)?.line);

/**
 * The context of a tenant: everything done with it waits in the tenant's queue, whatever the statements name.
 */
export function forTenant<C extends { db: Database }>(ctx: C, tenantId: string): C & { tenantId: string } {
  return { ...inLine(ctx, tenantId), tenantId };
}

/** A context in the queue of a tenant, or of the operator. */
export function inLineOf<C extends { db: Database }>(ctx: C, tenantId: string | null): C {
  return inLine(ctx, tenantId ?? operatorLine);
}
