import type { Entry } from './chain.ts';

/**
 * Which chains must exist according to the deployment's chain, whether or not any of their entries are left.
 */
export type TenantChains = {
  /** Tenants whose chain was started and that have not been deleted since. */
  readonly started: Set<string>;
  /** The entry that proves it. */
  readonly deleted: Map<string, number>;
};

export const noChains = (): TenantChains => ({ started: new Set(), deleted: new Map() });

/** Processes an entry of the deployment's chain and returns what is wrong with it. */
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

/** Whether the tenant was deleted, so that its chain may be missing. */
export function isDeleted({ started, deleted }: TenantChains, tenantId: string): boolean {
  return deleted.has(tenantId) && !started.has(tenantId);
}
