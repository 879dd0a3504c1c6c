import type { Commit } from '../../src/modules/player/schemas.ts';

/** A commit that the server has not confirmed yet, with what it takes to send it later from another page. */
export type JournalEntry = { EnrollID: string; Session: string; CourseTitle: string; Commit: Commit };

export type Journal = {
  /** False when the browser refuses: storage is full, or blocked for framed pages. */
  write(entry: JournalEntry): boolean;
  /** Forgets the entry unless a newer commit of the unit has taken its place. */
  forget(entry: JournalEntry): void;
  /** What earlier pages left behind, oldest first. */
  list(): JournalEntry[];
};

const prefix = 'lectern.journal/';

/** One key per unit and session: commits are whole snapshots, so only the latest one of a unit counts. */
export function openJournal(storage: () => Storage = () => window.localStorage): Journal {
  const attempt = <Result>(act: (storage: Storage) => Result, otherwise: Result): Result => {
    try {
      return act(storage());
    } catch {
      return otherwise;
    }
  };
  return {
    write: (entry) =>
      attempt((store) => {
        store.setItem(keyOf(entry), JSON.stringify(entry));
        return true;
      }, false),
    forget: (entry) =>
      attempt((store) => {
        const stored = parse(store.getItem(keyOf(entry)));
        if (stored && stored.Commit.Number <= entry.Commit.Number) store.removeItem(keyOf(entry));
      }, undefined),
    list: () =>
      attempt((store) => {
        const keys = Object.keys(store).filter((key) => key.startsWith(prefix));
        const entries = keys.map((key) => parse(store.getItem(key))).filter((entry) => entry !== null);
        return entries.sort((a, b) => a.Commit.Number - b.Commit.Number);
      }, []),
  };
}

function keyOf({ EnrollID, Session, Commit }: JournalEntry): string {
  return prefix + [EnrollID, Session, Commit.UnitID].map(encodeURIComponent).join('/');
}

function parse(text: string | null): JournalEntry | null {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
