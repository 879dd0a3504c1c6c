import type { Commit } from '../../src/modules/player/schemas.ts';

/** A commit that the server has not confirmed yet, with what it takes to send it later from another page. */
export type JournalEntry = {
  EnrollID: string;
  Session: string;
  CourseTitle: string;
  /** When it was stored, in milliseconds by this device's clock. */
  KeptAt: number;
  Commit: Commit;
};

export type Journal = {
  /** False when the browser refuses: storage is full, or blocked for framed pages. */
  write(entry: JournalEntry): boolean;
  forget(entry: JournalEntry): void;
  /** Whether this device has the entry at this moment. */
  holds(entry: JournalEntry): boolean;
  /** Stores the entries of a session under other numbers: all are moved by the same amount. */
  renumber(entries: readonly JournalEntry[], by: number): JournalEntry[];
  /** What earlier pages left behind, oldest first. */
  list(): JournalEntry[];
};

const prefix = 'lectern.journal/';

/** One key per commit. `pending.ts` decides which ones are no longer needed. */
export function openJournal(storage: () => Storage = () => window.localStorage): Journal {
  const attempt = <Result>(act: (storage: Storage) => Result, otherwise: Result): Result => {
    try {
      return act(storage());
    } catch {
      return otherwise;
    }
  };
  const write: Journal['write'] = (entry) =>
    attempt((store) => {
      store.setItem(keyOf(entry), JSON.stringify(entry));
      return true;
    }, false);
  const forget: Journal['forget'] = (entry) => attempt((store) => store.removeItem(keyOf(entry)), undefined);
  return {
    write,
    forget,
    holds: (entry) => attempt((store) => store.getItem(keyOf(entry)) !== null, false),
    renumber(entries, by) {
      // All are removed first: one may take the number that another one had.
      for (const entry of entries) forget(entry);
      const renumbered = movedBy(entries, by);
      for (const entry of renumbered) write(entry);
      return renumbered;
    },
    list: () =>
      attempt((store) => {
        const keys = Object.keys(store).filter((key) => key.startsWith(prefix));
        const entries = keys.map((key) => parse(store.getItem(key))).filter((entry) => entry !== null);
        return entries.sort((a, b) => a.Commit.Number - b.Commit.Number);
      }, []),
  };
}

export function movedBy(entries: readonly JournalEntry[], by: number): JournalEntry[] {
  return entries.map((entry) => ({
    ...entry,
    Commit: { ...entry.Commit, Number: entry.Commit.Number + by },
  }));
}

function keyOf({ EnrollID, Session, Commit }: JournalEntry): string {
  return prefix + [EnrollID, Session, Commit.UnitID, Commit.Number].map(encodeURIComponent).join('/');
}

function parse(text: string | null): JournalEntry | null {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
