import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import path, { join } from 'node:path';

// For files that must survive a power cut. The new name of a file is durable once its folder has been synced
// (fsync(2)).

export function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const inside = path.join(folder, entry.name);
    if (entry.isDirectory()) syncTree(inside);
    else if (entry.isFile()) syncPath(inside);
  }
  syncPath(folder);
}

export function syncPath(file: string): void {
  const handle = openSync(file, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** The files in a folder and their bytes, at any depth; null if there is no such folder. */
export async function measureFolder(folder: string): Promise<{ files: number; bytes: number } | null> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => null);
  if (!entries) return null;
  let [files, bytes] = [0, 0];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    files++;
    bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return { files, bytes };
}

/** In milliseconds. Another node may still be using a younger file. */
export const scratchAge = 86_400_000;

/** Removes the leftovers of imports and bulk calls that were killed. */
export async function clearScratch(dataDir: string, ageMilliseconds: number): Promise<void> {
  const folder = join(dataDir, 'scratch');
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found && Date.now() - found.mtimeMs >= ageMilliseconds)
      await rm(path, { recursive: true, force: true });
  }
}
