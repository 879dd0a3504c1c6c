import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { DatabaseLog } from './engine.ts';
import { openSession } from './pglite-session.ts';

/** Makes the database in a folder beside, and moves it into place when all of it is on the disk. */
export async function createFolder(folder: string, log: DatabaseLog): Promise<string> {
  const place = path.join(folder, 'database');
  if (existsSync(place)) return place;
  const draft = path.join(folder, 'database.new');
  rmSync(draft, { recursive: true, force: true });
  log.info({ folder }, 'Creating the database');
  const session = await openSession({ folder: draft });
  await session.close();
  syncTree(draft);
  renameSync(draft, place);
  syncPath(folder);
  return place;
}

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
