import { type JournalCopy, noCopy } from './journal-copy.ts';
import { type JournalEntry, parseEntry } from './journal-entry.ts';

export type Journal = {
  /** Merges local storage with the copy, because a course may have emptied local storage. */
  load(): Promise<void>;
  /** Returns false if the browser refuses, because storage is full or blocked for framed pages. */
  write(entry: JournalEntry): boolean;
  forget(entry: JournalEntry): void;
  /** Whether the entry is currently stored on this device. */
  holds(entry: JournalEntry): boolean;
  /** Restores entries that a course has removed. */
  restore(): void;
  /** Called when another page or the course has removed this key, or all keys if null. */
  removed(key: string | null): void;
  /** Shifts the numbers of a session's entries by the same amount. */
  renumber(entries: readonly JournalEntry[], by: number): JournalEntry[];
  /** Entries from earlier pages, oldest first. */
  list(): JournalEntry[];
};

const prefix = 'lectern.journal/';

/** An entry that local storage should contain. Other open pages may also send and remove entries of earlier pages. */
type Held = { entry: JournalEntry; isEarlier: boolean };

/** Uses one key per commit. `pending.ts` decides which ones are no longer needed. */
export function openJournal(
  storage: () => Storage = () => window.localStorage,
  copy: JournalCopy = noCopy,
): Journal {
  const held = new Map<string, Held>();
  const attempt = <Result>(act: (storage: Storage) => Result, otherwise: Result): Result => {
    try {
      return act(storage());
    } catch {
      return otherwise;
    }
  };
  const store = (key: string, text: string) =>
    attempt((into) => {
      into.setItem(key, text);
      return true;
    }, false);
  const has = (key: string) => attempt((from) => from.getItem(key) !== null, false);

  const write: Journal['write'] = (entry) => {
    const [key, text] = [keyOf(entry), JSON.stringify(entry)];
    copy.put(key, text);
    const kept = store(key, text);
    if (kept) held.set(key, { entry, isEarlier: false });
    return kept;
  };
  const forget: Journal['forget'] = (entry) => {
    const key = keyOf(entry);
    held.delete(key);
    copy.remove(key);
    attempt((from) => from.removeItem(key), undefined);
  };
  const restore: Journal['restore'] = () => {
    for (const [key, { entry }] of held) if (!has(key)) store(key, JSON.stringify(entry));
  };
  const holdEarlier = (key: string, text: string | null) => {
    const entry = held.has(key) ? null : parseEntry(text, (parsed) => keyOf(parsed) === key);
    if (entry) held.set(key, { entry, isEarlier: true });
  };

  const list: Journal['list'] = () => {
    attempt((from) => {
      for (const key of keysIn(from)) holdEarlier(key, from.getItem(key));
    }, undefined);
    return [...held.values()].map(({ entry }) => entry).sort((a, b) => a.Commit.Number - b.Commit.Number);
  };

  return {
    async load() {
      const copied = await copy.all();
      for (const entry of list()) {
        const key = keyOf(entry);
        if (!copied.has(key)) copy.put(key, JSON.stringify(entry));
      }
      for (const [key, text] of copied) holdEarlier(key, text);
      restore();
    },
    write,
    forget,
    holds: (entry) => has(keyOf(entry)),
    restore,
    removed(key) {
      // An earlier page's entry is not restored, because another page may have sent it. If not, the copy still contains it.
      if (key !== null && held.get(key)?.isEarlier && !has(key)) held.delete(key);
      restore();
    },
    renumber(entries, by) {
      // All entries are removed first, because a new number may be another entry's old number.
      for (const entry of entries) forget(entry);
      const renumbered = renumberedBy(entries, by);
      for (const entry of renumbered) write(entry);
      return renumbered;
    },
    list,
  };
}

export function renumberedBy(entries: readonly JournalEntry[], by: number): JournalEntry[] {
  return entries.map((entry) => ({
    ...entry,
    Commit: { ...entry.Commit, Number: entry.Commit.Number + by },
  }));
}

function keysIn(storage: Storage): string[] {
  return Object.keys(storage).filter((key) => key.startsWith(prefix));
}

function keyOf({ EnrollID, Session, Commit }: JournalEntry): string {
  return prefix + [EnrollID, Session, Commit.UnitID, Commit.Number].map(encodeURIComponent).join('/');
}
