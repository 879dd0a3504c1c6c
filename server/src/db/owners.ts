import { type Database, databaseOf } from './dialect.ts';
import { nobody, ownerOfNode } from './engine/engine.ts';

/** Returns the same context for statements of another owner. Has no effect inside a transaction. */
function ownedBy<C extends { db: Database }>(ctx: C, owner: string): C {
  const db = databaseOf(ctx.db, owner);
  return db ? { ...ctx, db } : ctx;
}

/** A tenant's context, whose statements may not name another tenant. */
export function forTenant<C extends { db: Database }>(ctx: C, tenantId: string): C & { tenantId: string } {
  return { ...ownedBy(ctx, tenantId), tenantId };
}

/** A context for work on behalf of all tenants of a worker node. */
export const forNode = <C extends { db: Database }>(ctx: C, node: string): C & { workerNode: string } => ({
  ...ownedBy(ctx, ownerOfNode(node)),
  workerNode: node,
});

/** A context whose statements may name any tenant, each on its own. */
export const forAnyone = <C extends { db: Database }>(ctx: C): C => ownedBy(ctx, nobody);
