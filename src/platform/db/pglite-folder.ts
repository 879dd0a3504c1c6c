import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { syncPath, syncTree } from '../durable.ts';
import { tighten } from '../owner-only.ts';
import type { DatabaseLog } from './engine.ts';

const program = fileURLToPath(new URL('./pglite-create.ts', import.meta.url));
const draftName = 'database.new';
const library = new URL('../package.json', import.meta.resolve('@electric-sql/pglite'));
const { version } = JSON.parse(readFileSync(library, 'utf8')) as { version: string };
/** A new database, made when the packages were installed: each folder begins as a copy of it. */
const kept = fileURLToPath(
  new URL(`../../../node_modules/.cache/lectern-database-${version}`, import.meta.url),
);

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
  if (existsSync(kept)) cpSync(kept, draft, { recursive: true });
  else await make(draft);
  tighten(draft);
  syncTree(draft);
  renameSync(draft, place);
  syncPath(folder);
  return place;
}

/** In a process of its own, which gives back the memory that this takes: 250 MB beside what serving needs. */
async function make(folder: string): Promise<void> {
  await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', program, folder]);
}

/** Makes the database that folders begin as, once for each version of the library. */
export async function keepNewDatabase(): Promise<void> {
  if (existsSync(kept)) return;
  mkdirSync(path.dirname(kept), { recursive: true });
  const beside = mkdtempSync(`${kept}-`);
  try {
    const made = path.join(beside, 'database');
    await make(made);
    syncTree(made);
    // Another process may have been first.
    if (!existsSync(kept)) renameSync(made, kept);
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}
