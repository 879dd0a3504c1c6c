import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export type FolderLock = { release(): void };

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
