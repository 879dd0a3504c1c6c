import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/** Objects on this machine's disk, by key. */
export type FileCache = {
  readonly folder: string;
  /** The path of the object below `folder`. `download` writes it to a new file; false if there is no such object. */
  get: (key: string, bytes: number, download: (to: string) => Promise<boolean>) => Promise<string | null>;
  bytes: () => number;
};

type Entry = { bytes: number; usedAt: number };

/** A file that was found a moment ago may not have been opened yet. */
const minMilliseconds = 10_000;

/**
 * Keeps the most recently used objects, up to `maxBytes`. Several callers that need the same object wait for one
 * download.
 */
export async function openFileCache(folder: string, maxBytes: number): Promise<FileCache> {
  await mkdir(folder, { recursive: true });
  const entries = new Map<string, Entry>();
  const running = new Map<string, Promise<boolean>>();
  let total = 0;
  for (const name of await readdir(folder)) {
    const found = await stat(join(folder, name));
    // Downloads of a process that was killed.
    if (name.startsWith('.')) await rm(join(folder, name), { force: true });
    else {
      entries.set(name, { bytes: found.size, usedAt: 0 });
      total += found.size;
    }
  }

  const makeRoom = async () => {
    for (const [name, { bytes, usedAt }] of entries) {
      if (total <= maxBytes) return;
      if (performance.now() - usedAt < minMilliseconds && usedAt > 0) continue;
      entries.delete(name);
      total -= bytes;
      await rm(join(folder, name), { force: true });
    }
  };
  const touch = (name: string, entry: Entry) => {
    // The order of the map is the order of use.
    entries.delete(name);
    entries.set(name, { ...entry, usedAt: performance.now() });
  };
  const load = async (name: string, bytes: number, download: (to: string) => Promise<boolean>) => {
    const draft = join(folder, `.${name}-${process.pid}`);
    await rm(draft, { force: true });
    if (!(await download(draft))) return false;
    await utimes(draft, timeOf(name), timeOf(name));
    await rename(draft, join(folder, name));
    touch(name, { bytes, usedAt: 0 });
    total += bytes;
    await makeRoom();
    return true;
  };
  return {
    folder,
    bytes: () => total,
    get: async (name, bytes, download) => {
      const entry = entries.get(name);
      if (entry) {
        touch(name, entry);
        return name;
      }
      const loading = running.get(name) ?? load(name, bytes, download).finally(() => running.delete(name));
      running.set(name, loading);
      return (await loading) ? name : null;
    },
  };
}

const firstSecond = Date.UTC(2000) / 1_000;
const seconds = 20 * 366 * 86_400;

/** The web server derives ETags from time and size, and they must be the same on all nodes. */
export function timeOf(sha256: string): number {
  return firstSecond + (Number.parseInt(sha256.slice(0, 8), 16) % seconds);
}
