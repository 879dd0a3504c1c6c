import type { Commit } from '../../src/modules/player/schemas.ts';
import type { JournalEntry } from './journal.ts';

/** A commit on its way, and whether this device keeps it meanwhile. */
export type Pending = { entry: JournalEntry; kept: boolean };

/** The latest unconfirmed commit of each unit. */
export function createPending() {
  const units = new Map<string, Pending>();
  return {
    get: (unitID: string) => units.get(unitID),
    set: (unitID: string, pending: Pending) => void units.set(unitID, pending),
    delete: (unitID: string) => void units.delete(unitID),
    clear: () => units.clear(),
    get size() {
      return units.size;
    },
    inOrder: () => [...units.values()].sort((a, b) => a.entry.Commit.Number - b.entry.Commit.Number),
  };
}

/** What a commit says beside its number, to tell repetitions. */
export function saidBy({ Number: _, ...snapshot }: Commit): string {
  return JSON.stringify(snapshot);
}
