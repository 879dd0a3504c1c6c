import type { Entry } from './chain.ts';

/** Which chains must exist, as the deployment's chain says, whatever is left of them. */
export type Lives = {
  /** Tenants whose chain began and that were not deleted since. */
  readonly begun: Set<string>;
  /** The entry that says so. */
  readonly deleted: Map<string, number>;
};

export const noLives = (): Lives => ({ begun: new Set(), deleted: new Map() });

/** Takes in an entry of the deployment's chain. The answer is what is wrong with it. */
export function noteLife({ begun, deleted }: Lives, { action, target_id, number }: Entry): string | null {
  if (target_id === null) return null;
  if (action === 'tenant.deleted') {
    begun.delete(target_id);
    deleted.set(target_id, number);
  }
  if (action !== 'audit.began') return null;
  const isTwice = begun.has(target_id);
  begun.add(target_id);
  return isTwice ? `The trail of ${target_id} began a second time: the earlier one was removed.` : null;
}

/** Whether the tenant was deleted, so that nothing of its chain has to be there. */
export function isDeleted({ begun, deleted }: Lives, tenantId: string): boolean {
  return deleted.has(tenantId) && !begun.has(tenantId);
}
