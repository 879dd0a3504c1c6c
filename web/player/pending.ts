import type { Commit } from '../../src/modules/player/schemas.ts';
import type { JournalEntry } from './journal.ts';

/** A commit on its way, whether this device keeps it meanwhile, and when it may be sent again after it was turned away. */
export type Pending = { entry: JournalEntry; kept: boolean; attempts: number; notBefore: number };

/** The latest unconfirmed commit of each unit. */
export function createPending() {
  const units = new Map<string, Pending>();
  const inOrder = () => [...units.values()].sort((a, b) => a.entry.Commit.Number - b.entry.Commit.Number);
  return {
    get: (unitID: string) => units.get(unitID),
    set: (unitID: string, pending: Pending) => void units.set(unitID, pending),
    delete: (unitID: string) => void units.delete(unitID),
    get size() {
      return units.size;
    },
    inOrder,
    /** The first that may be sent, and otherwise when the next one may. */
    next(now: number): Pending | { wait: number } | null {
      const all = inOrder();
      if (all.length === 0) return null;
      const ready = all.find(({ notBefore }) => notBefore <= now);
      return ready ?? { wait: Math.min(...all.map(({ notBefore }) => notBefore)) - now };
    },
    isTurnedAway: () => inOrder().some(({ attempts }) => attempts > 0),
  };
}

/** What a commit says beside its number, to tell repetitions. */
export function saidBy({ Number: _, ...snapshot }: Commit): string {
  return JSON.stringify(snapshot);
}
