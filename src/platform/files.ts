import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the files of releases lie. One folder per release, complete from the moment it has its name. */
export type PackageFiles = {
  /** A fresh path on the same disk as the releases, for what is not complete yet. */
  scratch(name: string): Promise<string>;
  /** Gives a complete scratch folder its name. Atomic. */
  keep(scratch: string, releaseId: string): Promise<void>;
  discard(scratch: string): Promise<void>;
  remove(releaseId: string): Promise<void>;
  /** The folder of a release. */
  folder(releaseId: string): string;
};

export async function openFiles(dataDir: string): Promise<PackageFiles> {
  const releases = join(dataDir, 'packages');
  const scratch = join(dataDir, 'scratch');
  await mkdir(releases, { recursive: true });
  await mkdir(scratch, { recursive: true });
  return {
    scratch: async (name) => join(scratch, name),
    keep: (from, releaseId) => rename(from, join(releases, releaseId)),
    discard: (path) => rm(path, { recursive: true, force: true }),
    remove: (releaseId) => rm(join(releases, releaseId), { recursive: true, force: true }),
    folder: (releaseId) => join(releases, releaseId),
  };
}

/** Removes what imports left behind when the process was killed. Only for the process that owns the folder. */
export async function clearScratch(dataDir: string): Promise<void> {
  const folder = join(dataDir, 'scratch');
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}
