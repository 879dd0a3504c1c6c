/** Limits how many run concurrently. A caller that finds no free slot is called when it is its turn. */
export type Slots = { take: (whenFree: () => void) => boolean; give: () => void };

export function openSlots(most: number): Slots {
  let taken = 0;
  const waiting = new Set<() => void>();
  return {
    take(whenFree) {
      if (taken >= most) {
        waiting.add(whenFree);
        return false;
      }
      taken++;
      return true;
    },
    give() {
      taken--;
      for (const next of [...waiting]) {
        if (taken >= most) return;
        waiting.delete(next);
        next();
      }
    },
  };
}
