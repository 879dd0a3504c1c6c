import { chmodSync, existsSync, lchownSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf } from './errors.ts';
import type { Log } from './log.ts';
import { ConfigError } from './settings.ts';

const groupAndOtherBits = 0o077;
/** Windows has no file modes. */
const hasFileModes = process.platform !== 'win32';

/** From now on, only this process's user can read what the process, its threads and its children create. */
export function createForOwnerOnly(): void {
  process.umask(groupAndOtherBits);
}

/**
 * Creates the folder and those above it. `mkdirSync` with `recursive` would repeat itself for ever on a file system that
 * cannot hold folders, such as /proc.
 */
export function createDataFolder(folder: string): void {
  if (existsSync(folder)) return;
  createDataFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return;
    throw new ConfigError(
      'DATA_DIR',
      `the folder "${folder}" cannot be created (${codeOf(cause)}). Use a folder on a local disk or a shared volume.`,
      { cause },
    );
  }
}

/** Root may have run a command: what it created in the service's folder must belong to the service's user. */
export function returnToOwner(folder: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  if (uid !== 0) giveTo(folder, { uid, gid });
}

function giveTo(path: string, owner: { uid: number; gid: number }): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (found.uid === 0) lchownSync(path, owner.uid, owner.gid);
  if (found.isDirectory()) for (const name of readdirSync(path)) giveTo(join(path, name), owner);
}

export function restrictDataFolder(folder: string, log: Pick<Log, 'warn'>): void {
  createDataFolder(folder);
  if (!hasFileModes) return;
  const { mode } = statSync(folder);
  const isWide = (mode & groupAndOtherBits) !== 0;
  if (isWide) restrictFolder(folder, mode);
  // Other users cannot reach the contents of a folder that is closed to them, so the whole tree is walked only if this
  // folder was open.
  const wide = readdirSync(folder).filter((name) => isWide || isReadableByOthers(join(folder, name)));
  const changed = wide.reduce((count, name) => count + restrictToOwner(join(folder, name)), 0);
  if (isWide || changed > 0)
    log.warn(
      { folder, mode: `0${(mode & 0o777).toString(8)}`, files: changed },
      'the data folder was accessible to other users; now only its owner can access it',
    );
}

function restrictFolder(folder: string, mode: number): void {
  const refuse = (reason: string, cause?: unknown): never => {
    throw new ConfigError(
      'DATA_DIR',
      `other users can open "${folder}" (mode 0${(mode & 0o777).toString(8)}), and it cannot be made private: ${reason}. ` +
        "Run chmod 700 on it as its owner, or use a folder that belongs to the service's user.",
      { cause },
    );
  };
  try {
    chmodSync(folder, 0o700);
  } catch (error) {
    refuse(codeOf(error) || String(error), error);
  }
  if (isReadableByOthers(folder)) refuse('its file system does not support file modes');
}

function isReadableByOthers(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isSymbolicLink() && (found.mode & groupAndOtherBits) !== 0;
}

/** Removes all permissions for the group and others, recursively. Returns how many files and folders were changed. */
export function restrictToOwner(path: string): number {
  if (!hasFileModes) return 0;
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found || found.isSymbolicLink()) return 0;
  let changed = 0;
  if (found.isDirectory()) for (const name of readdirSync(path)) changed += restrictToOwner(join(path, name));
  if ((found.mode & groupAndOtherBits) === 0) return changed;
  try {
    chmodSync(path, found.mode & 0o700);
  } catch {
    // The file belongs to another user, inside a folder that is already closed.
    return changed;
  }
  return changed + 1;
}
