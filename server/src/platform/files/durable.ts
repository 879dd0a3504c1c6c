import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import path from 'node:path';

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
