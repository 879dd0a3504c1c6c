import type { Commit } from '../../src/modules/player/schemas.ts';
import type { Evidence } from '../../src/modules/standards/types.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { gradeOf, neededOf } from './results.ts';

/** A commit on its way, whether this device keeps it meanwhile, and when it may be sent again after it was turned away. */
export type Pending = {
  entry: JournalEntry;
  results: Evidence[];
  kept: boolean;
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
      .filter((each) => each.kept && lesser(each))
      .sort((a, b) => gradeOf(a.results) - gradeOf(b.results));
  }

  /** Makes room on the device if necessary. If the commit still does not fit, what was removed is restored. */
  function write(added: Pending, superseded: Pending[]): void {
    const candidates = [...superseded, ...dispensable().filter((each) => !superseded.includes(each))];
    const removed: Pending[] = [];
    added.kept = journal.write(added.entry);
    for (const each of candidates) {
      if (added.kept) break;
      journal.forget(each.entry);
      each.kept = false;
      removed.push(each);
      added.kept = journal.write(added.entry);
    }
    if (added.kept) return;
    for (const each of removed) each.kept = journal.write(each.entry);
  }

  function add(entry: JournalEntry): void {
    const added = { entry, results: judge(entry.Commit), kept: false, attempts: 0, notBefore: 0 };
    all.push(added);
    const rivals = ofUnit(entry.Commit.UnitID);
    const needed = neededOf(rivals);
    const superseded = rivals.filter((each) => !needed.includes(each));
    write(added, superseded);
    // A stored commit stays until a newer one is stored.
    const obsolete = superseded.filter(({ kept }) => added.kept || !kept);
    all = all.filter((each) => !obsolete.includes(each));
    for (const each of obsolete) journal.forget(each.entry);
  }

  return {
    add,
    newest,
    get size() {
      return all.length;
    },
    inOrder: (): readonly Pending[] => all,
    remove(entry: JournalEntry): void {
      journal.forget(entry);
      all = all.filter((each) => each.entry.Commit.Number !== entry.Commit.Number);
    },
    /** The same order, beginning with a lower number. */
    renumber(by: number): void {
      for (const each of all) {
        const { entry, kept } = journal.renumber(each.entry, each.entry.Commit.Number - by);
        Object.assign(each, { entry, kept, attempts: 0, notBefore: 0 });
      }
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
