import { isStrangersLine, operatorLine } from '../load/turns.ts';
import { type Database, kyselyOn, originOf } from './dialect.ts';

/** The same context, whose statements and transactions wait in this line of the database; inside a transaction it changes nothing. */
export function inLine<C extends { db: Database }>(ctx: C, line: string): C {
  const origin = originOf(ctx.db);
  return origin ? { ...ctx, db: kyselyOn(origin.engine, line) } : ctx;
}

/** Whether nobody knows yet on whose behalf it is. */
export const isOfStranger = (ctx: { db: Database }): boolean => isStrangersLine(originOf(ctx.db)?.line);

/** The context of a tenant, which pays for all that is done with it, whatever the statements name. */
export function forTenant<C extends { db: Database }>(ctx: C, tenantId: string): C & { tenantId: string } {
  return { ...inLine(ctx, tenantId), tenantId };
}

/** The line of a tenant, or of the operator. */
export function inLineOf<C extends { db: Database }>(ctx: C, tenantId: string | null): C {
  return inLine(ctx, tenantId ?? operatorLine);
}
