import { execFileSync } from 'node:child_process';
import { mkdtempSync, statfsSync } from 'node:fs';
import { open, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type SmallDisk = {
  folder: string;
  /** Fills the disk completely. */
  fill: () => Promise<void>;
  /** Frees this number of bytes on the full disk. */
  leave: (bytes: number) => Promise<void>;
  free: () => Promise<void>;
  unmount: () => void;
};

/** A separate disk of this many megabytes. Mounting requires root; otherwise the test fails. */
export function mountSmallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'lectern-test', folder]);
  const filler = join(folder, 'filler');
  return {
    folder,
    fill: async () => {
      const file = await open(filler, 'a');
      try {
        for (let bytes = 1024 ** 2; bytes >= 4_096; )
          await file.appendFile(Buffer.alloc(bytes)).catch(() => {
            bytes /= 4;
          });
      } finally {
        await file.close();
      }
      if (statfsSync(folder).bavail > 0) throw new Error('The disk is not full.');
    },
    leave: async (bytes) => truncate(filler, (await stat(filler)).size - bytes),
    free: () => rm(filler, { force: true }),
    unmount: () => execFileSync('umount', ['--lazy', folder]),
  };
}
