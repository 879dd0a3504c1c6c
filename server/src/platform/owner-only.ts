import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from './log.ts';
import { ConfigError } from './settings.ts';

const forOthers = 0o077;
/** Windows has no such modes. */
const hasModes = process.platform !== 'win32';

/** Whatever this process, its threads and its children create is readable by its own user only. */
export function createForOwnerOnly(): void {
  process.umask(forOthers);
}

/** The data folder, created or tightened so that nobody else can open it or what lies in it. */
export function closeDataFolder(folder: string, log: Pick<Log, 'warn'>): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!hasModes) return;
  const { mode } = statSync(folder);
  const isWide = (mode & forOthers) !== 0;
  if (isWide) closeFolder(folder, mode);
  // Nobody reaches what lies in a closed folder, so the whole tree is walked only when this one was open.
  const wide = readdirSync(folder).filter((name) => isWide || isReadableByOthers(join(folder, name)));
  const changed = wide.reduce((count, name) => count + tighten(join(folder, name)), 0);
  if (isWide || changed > 0)
    log.warn(
      { folder, mode: `0${(mode & 0o777).toString(8)}`, files: changed },
      'the data folder was readable by other users; it is now readable by its owner only',
    );
}

function closeFolder(folder: string, mode: number): void {
  const refuse = (reason: string, cause?: unknown): never => {
    throw new ConfigError(
      'DATA_DIR',
      `other users can open "${folder}" (mode 0${(mode & 0o777).toString(8)}), and it cannot be made private: ${reason}. ` +
        'Run chmod 700 on it as its owner, or use a folder that belongs to the user of the service.',
      { cause },
    );
  };
  try {
    chmodSync(folder, 0o700);
  } catch (error) {
    refuse((error as NodeJS.ErrnoException).code ?? String(error), error);
  }
  if (isReadableByOthers(folder)) refuse('its file system does not keep modes');
}

function isReadableByOthers(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isSymbolicLink() && (found.mode & forOthers) !== 0;
}

/** Takes all rights of others away, in folders too; answers how many files and folders were changed. */
export function tighten(path: string): number {
  if (!hasModes) return 0;
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found || found.isSymbolicLink()) return 0;
  let changed = 0;
  if (found.isDirectory()) for (const name of readdirSync(path)) changed += tighten(join(path, name));
  if ((found.mode & forOthers) === 0) return changed;
  try {
    chmodSync(path, found.mode & 0o700);
  } catch {
    // It belongs to another user, and lies in a folder that is closed.
    return changed;
  }
  return changed + 1;
}
