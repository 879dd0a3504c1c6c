/**
 * Limits how many deliveries run concurrently. If no slot is free, `whenFree` is called when one becomes
 * free. Tenants take turns, and so do the endpoints of each tenant. An endpoint is in the queue at most once.
 */
export type Slots = {
  take: (tenantId: string, whenFree: () => void) => boolean;
  /** Takes a slot as soon as one is free. */
  enter: (tenantId: string) => Promise<void>;
  release: () => void;
  /** Passes a slot to the next endpoint in the queue, if there is one, and takes a slot again when one is free. */
  passOn: (tenantId: string) => Promise<void>;
};

export function openSlots(maxConcurrent: number): Slots {
  let taken = 0;
  const tenants = new Map<string, Set<() => void>>();
  const next = (): (() => void) | undefined => {
    const [first] = tenants;
    if (!first || taken >= maxConcurrent) return undefined;
    const [tenantId, waiting] = first;
    const [whenFree] = waiting;
    tenants.delete(tenantId);
    if (whenFree) waiting.delete(whenFree);
    if (waiting.size > 0) tenants.set(tenantId, waiting);
    return whenFree;
  };
  const slots: Slots = {
    take(tenantId, whenFree) {
      if (taken < maxConcurrent) {
        taken++;
        return true;
      }
      const waiting = tenants.get(tenantId) ?? new Set();
      tenants.set(tenantId, waiting.add(whenFree));
      return false;
    },
    release() {
      taken--;
      for (let whenFree = next(); whenFree; whenFree = next()) whenFree();
    },
    enter: (tenantId) =>
      new Promise((resolve) => {
        const tryToTake = () => {
          if (slots.take(tenantId, tryToTake)) resolve();
        };
        tryToTake();
      }),
    passOn(tenantId) {
      slots.release();
      return slots.enter(tenantId);
    },
  };
  return slots;
}
