import { type Database, databaseOf } from './dialect.ts';

// The owner of a statement or transaction decides which connections it uses and which tenant it may name: a tenant, a
// worker node of a Citus cluster, or nobody. No TenantID is empty or contains a control character.

export const nobody = '';
/** For statements that name no tenant and use only tables that all tenants share. */
export const sharedTables = '\nshared';
const ofNode = '\nnode ';

export const nodeOfOwner = (owner: string): string | undefined =>
  owner.startsWith(ofNode) ? owner.slice(ofNode.length) : undefined;

export const isTenant = (owner: string): boolean => owner !== nobody && !owner.startsWith('\n');

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
  ...ownedBy(ctx, `${ofNode}${node}`),
  workerNode: node,
});

/** A context whose statements may name any tenant, each on its own. */
export const forAnyone = <C extends { db: Database }>(ctx: C): C => ownedBy(ctx, nobody);
