import type { Stores } from './storage.ts';

/** A copy of the journal that a course's `localStorage.clear()` does not delete. */
export type JournalCopy = {
  all(): Promise<Map<string, string>>;
  put(key: string, text: string): void;
  remove(key: string): void;
};

/** For browsers without IndexedDB, where the journal is only in local storage. */
export const noCopy: JournalCopy = { all: async () => new Map(), put: () => {}, remove: () => {} };

const store = 'journal';
/** Some browsers never respond, and the learner should not wait longer than this. */
const timeoutMilliseconds = 2_000;

export async function openCopy(stores: Stores): Promise<JournalCopy> {
  try {
    const opened = await withTimeout(openDatabase(stores));
    return opened ? copyIn(opened) : noCopy;
  } catch {
    return noCopy;
  }
}

function openDatabase({ indexedDB }: Stores): Promise<IDBDatabase> {
  const request = indexedDB.open('lectern', 1);
  request.onupgradeneeded = () => void request.result.createObjectStore(store);
  return settled(request);
}

function copyIn(database: IDBDatabase): JournalCopy {
  /** Does not wait for the change, because local storage has already confirmed it. */
  const change = (act: (journal: IDBObjectStore) => void): void => {
    try {
      const transaction = database.transaction(store, 'readwrite', { durability: 'strict' });
      act(transaction.objectStore(store));
      // Commits immediately, because the page may close right after this.
      transaction.commit();
    } catch {
      // The browser has closed the database, for example because the learner deleted the site's data.
    }
  };
  return {
    all: async () => (await withTimeout(readAll(database)).catch(() => null)) ?? new Map(),
    put: (key, text) => change((journal) => void journal.put(text, key)),
    remove: (key) => change((journal) => void journal.delete(key)),
  };
}

async function readAll(database: IDBDatabase): Promise<Map<string, string>> {
  const journal = database.transaction(store).objectStore(store);
  const [keys, texts] = await Promise.all([settled(journal.getAllKeys()), settled(journal.getAll())]);
  return new Map(keys.map((key, n) => [String(key), String(texts[n])]));
}

function settled<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function withTimeout<Result>(work: Promise<Result>): Promise<Result | null> {
  return Promise.race([work, new Promise<null>((resolve) => setTimeout(resolve, timeoutMilliseconds, null))]);
}
