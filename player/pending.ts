import type { Commit } from '../server/src/modules/player/schemas.ts';
import type { Evidence } from '../server/src/modules/standards/types.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { gradeOf, neededOf } from './results.ts';

/** A commit on its way, and when it may be sent again after it was turned away. */
export type Pending = {
  entry: JournalEntry;
  results: Evidence[];
  attempts: number;
  notBefore: number;
};

/** The unconfirmed commits that the service needs: the newest of each unit, and earlier ones with better results. */
export function createPending(journal: Journal, judge: (commit: Commit) => Evidence[]) {
  /** In order of their numbers. */
  let all: Pending[] = [];
  const ofUnit = (unitID: string) => all.filter(({ entry }) => entry.Commit.UnitID === unitID);
  const newest = (unitID: string) => ofUnit(unitID).at(-1);

  /** Neither the newest of its unit nor its best result; the least important first. */
  function dispensable(): Pending[] {
    const lesser = ({ entry, results }: Pending) => {
      const rivals = ofUnit(entry.Commit.UnitID).filter((each) => each.entry !== entry);
      const isNewest = !rivals.some((each) => each.entry.Commit.Number > entry.Commit.Number);
      return !isNewest && rivals.some((each) => gradeOf(each.results) > gradeOf(results));
    };
    return all
      .filter((each) => journal.holds(each.entry) && lesser(each))
      .sort((a, b) => gradeOf(a.results) - gradeOf(b.results));
  }

  /** Makes room on the device if necessary. If the commit still does not fit, what was removed is restored. */
  function write(added: Pending, superseded: Pending[]): void {
    const candidates = [...superseded, ...dispensable().filter((each) => !superseded.includes(each))];
    const removed: Pending[] = [];
    let kept = journal.write(added.entry);
    for (const each of candidates) {
      if (kept) return;
      journal.forget(each.entry);
      removed.push(each);
      kept = journal.write(added.entry);
    }
    if (kept) return;
    for (const each of removed) journal.write(each.entry);
  }

  function add(entry: JournalEntry): void {
    const added = { entry, results: judge(entry.Commit), attempts: 0, notBefore: 0 };
    all.push(added);
    const rivals = ofUnit(entry.Commit.UnitID);
    const needed = neededOf(rivals);
    const superseded = rivals.filter((each) => !needed.includes(each));
    write(added, superseded);
    // A stored commit stays until a newer one is stored.
    const kept = journal.holds(entry);
    const obsolete = superseded.filter((each) => kept || !journal.holds(each.entry));
    all = all.filter((each) => !obsolete.includes(each));
    for (const each of obsolete) journal.forget(each.entry);
  }

  return {
    add,
    newest,
    holdsNewest(unitID: string): boolean {
      const last = newest(unitID);
      return last !== undefined && journal.holds(last.entry);
    },
    get size() {
      return all.length;
    },
    inOrder: (): readonly Pending[] => all,
    remove(entry: JournalEntry): void {
      journal.forget(entry);
      all = all.filter((each) => each.entry.Commit.Number !== entry.Commit.Number);
    },
    /** The same order, beginning with another number. */
    renumber(by: number): void {
      const moved = journal.renumber(
        all.map(({ entry }) => entry),
        by,
      );
      all = all.map((each, n) => ({ ...each, entry: moved[n] ?? each.entry, attempts: 0, notBefore: 0 }));
    },
    /** The first that may be sent, and otherwise when the next one may. */
    next(now: number): Pending | { wait: number } | null {
      if (all.length === 0) return null;
      const ready = all.find(({ notBefore }) => notBefore <= now);
      return ready ?? { wait: Math.min(...all.map(({ notBefore }) => notBefore)) - now };
    },
    isTurnedAway: () => all.some(({ attempts }) => attempts > 0),
  };
}
