import type { Entry } from './chain.ts';

/**
 * The chains that must exist according to the deployment's chain, even if all of their entries are missing.
 */
export type TenantChains = {
  /** Tenants whose chain was started and who have not been deleted since. */
  readonly started: Set<string>;
  /** For each deleted tenant, the number of the entry that records its deletion. */
  readonly deleted: Map<string, number>;
};

export const noChains = (): TenantChains => ({ started: new Set(), deleted: new Map() });

/** Processes an entry of the deployment's chain. Returns a description of what is wrong with it, if anything. */
export function recordChain(
  { started, deleted }: TenantChains,
  { action, target_id, number }: Entry,
): string | null {
  if (target_id === null) return null;
  if (action === 'tenant.deleted') {
    started.delete(target_id);
    deleted.set(target_id, number);
  }
  if (action !== 'audit.began') return null;
  const isTwice = started.has(target_id);
  started.add(target_id);
  return isTwice ? `The trail of ${target_id} was started a second time: the earlier one was removed.` : null;
}

/** Whether the tenant was deleted. If so, its chain may be missing. */
export function isDeleted({ started, deleted }: TenantChains, tenantId: string): boolean {
  return deleted.has(tenantId) && !started.has(tenantId);
}
