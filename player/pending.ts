import type { Evidence } from '../standards/types.ts';
import type { Journal } from './journal.ts';
import type { JournalEntry } from './journal-entry.ts';
import { commitsToKeep, rankOf } from './results.ts';

/** An unconfirmed commit, and the time when it may be retried after a temporary rejection. */
export type Pending = {
  entry: JournalEntry;
  results: Evidence[];
  attempts: number;
  notBefore: number;
};

/** Ordered by number: each unit's newest commit, and earlier ones with better results. */
export type Queue = readonly Pending[];

const ofUnit = (queue: Queue, unitID: string) => queue.filter(({ entry }) => entry.Commit.UnitID === unitID);

export const newestOf = (queue: Queue, unitID: string): Pending | undefined => ofUnit(queue, unitID).at(-1);

/** The first commit that may be sent now, or the time until the next one may be sent. */
export function nextOf(queue: Queue, now: number): Pending | { wait: number } | null {
  if (queue.length === 0) return null;
  const ready = queue.find(({ notBefore }) => notBefore <= now);
  return ready ?? { wait: Math.min(...queue.map(({ notBefore }) => notBefore)) - now };
}

/** Stores a commit on this device. Returns the queue of commits that the service still needs. */
export function addTo(queue: Queue, added: Pending, journal: Journal): Queue {
  const all = [...queue, added];
  const rivals = ofUnit(all, added.entry.Commit.UnitID);
  const needed = commitsToKeep(rivals);
  const superseded = rivals.filter((each) => !needed.includes(each));
  const dispensable = dispensableOf(all, journal).filter((each) => !superseded.includes(each));
  write(added, [...superseded, ...dispensable], journal);
  // A stored commit is kept until a newer one is stored.
  const kept = journal.holds(added.entry);
  const obsolete = superseded.filter((each) => kept || !journal.holds(each.entry));
  for (const each of obsolete) journal.forget(each.entry);
  return all.filter((each) => !obsolete.includes(each));
}

/** Commits on this device that are neither the newest nor the best of their unit, least important first. */
function dispensableOf(queue: Queue, journal: Journal): Pending[] {
  const isLesser = ({ entry, results }: Pending) => {
    const rivals = ofUnit(queue, entry.Commit.UnitID).filter((each) => each.entry !== entry);
    const isNewest = !rivals.some((each) => each.entry.Commit.Number > entry.Commit.Number);
    return !isNewest && rivals.some((each) => rankOf(each.results) > rankOf(results));
  };
  return queue
    .filter((each) => journal.holds(each.entry) && isLesser(each))
    .sort((a, b) => rankOf(a.results) - rankOf(b.results));
}

/** Makes room on the device if necessary. If the commit still does not fit, the removed commits are restored. */
function write(added: Pending, candidates: Pending[], journal: Journal): void {
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
