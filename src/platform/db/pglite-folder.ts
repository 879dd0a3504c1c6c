import { execFile } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { DatabaseLog } from './engine.ts';

const program = fileURLToPath(new URL('./pglite-create.ts', import.meta.url));
const draftName = 'database.new';

/** Makes the database in a folder beside, and moves it into place when all of it is on the disk. */
export async function createFolder(folder: string, log: DatabaseLog): Promise<string> {
  const place = path.join(folder, 'database');
  if (existsSync(place)) return place;
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder))
    if (name.startsWith(draftName)) rmSync(path.join(folder, name), { recursive: true, force: true });
  // A name of its own: a process that was ended leaves its helper behind for a moment.
  const draft = path.join(folder, `${draftName}-${process.pid}`);
  log.info({ folder }, 'Creating the database');
  // In a process of its own, which gives back the memory that this takes: 250 MB beside what serving needs.
  await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', program, draft]);
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
