import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { syncPath, syncTree } from '../../lib/files.ts';
import { programAddress } from '../../lib/locations.ts';
import { restrictToOwner } from '../../lib/owner-only.ts';
import type { DatabaseLog } from './engine.ts';

type FolderLock = { release(): void };

/**
 * Node has no flock, but its SQLite uses the operating system's file locks. The lock ends when the
 * process ends for any reason. It also works across containers that share the folder.
 */
export function lockFolder(folder: string): FolderLock {
  mkdirSync(folder, { recursive: true });
  const lock = new DatabaseSync(path.join(folder, 'lock'), { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!isLocked(error)) throw error;
    throw new Error(
      `The data folder ${folder} is in use by ${holderOf(folder)}. Stop it, or set DATA_DIR to another folder.`,
    );
  }
  writeFileSync(holderFile(folder), `${process.pid}\n`);
  return {
    release: () => {
      if (lock.isOpen) lock.close();
    },
  };
}

const holderFile = (folder: string): string => path.join(folder, 'lock.process');

function holderOf(folder: string): string {
  try {
    return `process ${readFileSync(holderFile(folder), 'utf8').trim()}`;
  } catch {
    return 'another process';
  }
}

const isLocked = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (error.errcode === 5 || error.errcode === 6);

const program = fileURLToPath(programAddress('./pglite-create.ts', import.meta.url));
const draftName = 'database.new';

/** The PostgreSQL release that PGlite contains. Only the same release can open a data folder. */
const release = '18';

function assertSameRelease(place: string): void {
  const found = readFileSync(path.join(place, 'PG_VERSION'), 'utf8').trim();
  if (found !== release)
    throw new Error(
      `The database in ${place} is in the format of PostgreSQL ${found}, but this version of Lectern contains PostgreSQL ${release}. Start the version of Lectern that wrote it, or move the folder away to start with an empty database.`,
    );
}

/** Creates the database in a temporary folder and renames it once everything is on disk. */
export async function createFolder(folder: string, log: DatabaseLog): Promise<string> {
  const place = path.join(folder, 'database');
  if (existsSync(place)) {
    assertSameRelease(place);
    return place;
  }
  mkdirSync(folder, { recursive: true });
  assertRoom(folder);
  for (const name of readdirSync(folder))
    if (name.startsWith(draftName)) rmSync(path.join(folder, name), { recursive: true, force: true });
  // The name is unique, because the helper process of a killed process can keep running for a moment.
  const draft = path.join(folder, `${draftName}-${process.pid}`);
  log.info({ folder }, 'creating the database');
  await make(draft).catch((cause: unknown) => {
    rmSync(draft, { recursive: true, force: true });
    throw new Error(
      `The database could not be created in ${folder}. Set DATA_DIR to a folder on a local disk. The first error was: ${firstError(cause)}`,
      { cause },
    );
  });
  restrictToOwner(draft);
  syncTree(draft);
  renameSync(draft, place);
  syncPath(folder);
  return place;
}

/** A new database takes 40 MB. */
const neededBytes = 64 * 1024 ** 2;

function assertRoom(folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < neededBytes)
    throw new Error(
      `DATA_DIR: the disk of ${folder} has ${Math.floor((bavail * bsize) / 1024 ** 2)} MB of free space, and a new database needs ${neededBytes / 1024 ** 2} MB. Free some space, or use another disk.`,
    );
}

function firstError(cause: unknown): string {
  const { stderr, message }: { stderr?: string; message?: string } = Object(cause);
  return /^Error: (.*)$/m.exec(stderr ?? '')?.[1] ?? message ?? String(cause);
}

/**
 * Runs in a separate process, so that its memory is released: creating a database takes 250 MB more than
 * serving one.
 */
async function make(folder: string): Promise<void> {
  // `--liftoff-only` saves a second of CPU time (3.6 s instead of 4.6 s): the process exits before optimised code would
  // pay off.
  await promisify(execFile)(process.execPath, ['--liftoff-only', program, folder]);
}
