import { createReadStream } from 'node:fs';
import { mkdir, opendir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { syncPath } from '../../lib/files.ts';
import type { ListedFile, PackageFiles } from './package-files.ts';

const namesPerTurn = 100;

/**
 * The paths in a folder, at any depth; null if it does not exist. Reads a few hundred names at a time, so that other
 * requests can run in between. Node's recursive `readdir` calls `stat` synchronously for each file, which took 1.8 s for
 * 20,000 long names.
 */
async function pathsIn(folder: string): Promise<string[] | null> {
  const paths: string[] = [];
  const folders = [''];
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    const entries = await opendir(join(folder, path), { bufferSize: namesPerTurn }).catch(() => null);
    if (entries === null) return null;
    let n = 0;
    for await (const entry of entries) {
      const name = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) folders.push(name);
      else if (entry.isFile()) paths.push(name);
      if (++n % namesPerTurn === 0) await setImmediate();
    }
  }
  return paths;
}

/** The files in a folder, at any depth; null if it does not exist. */
export async function listFolder(folder: string): Promise<ListedFile[] | null> {
  const paths = await pathsIn(folder);
  if (!paths) return null;
  const files: ListedFile[] = [];
  for (const path of paths) files.push({ path, bytes: (await stat(join(folder, path))).size });
  return files;
}

/** One folder per release, renamed to its final name once it is complete. */
export async function openFolderFiles(
  dataDir: string,
  problem: PackageFiles['problem'] = async () => null,
): Promise<PackageFiles> {
  const releases = join(dataDir, 'packages');
  const scratch = join(dataDir, 'scratch');
  await mkdir(releases, { recursive: true });
  await mkdir(scratch, { recursive: true });
  const folder = (releaseId: string) => join(releases, releaseId);
  return {
    place: releases,
    folder,
    scratch: async (name) => join(scratch, name),
    discard: (path) => rm(path, { recursive: true, force: true }),
    keep: async (from, releaseId) => {
      await rename(from, folder(releaseId));
      for (const parent of [releases, scratch]) syncPath(parent);
      return [];
    },
    remove: (releaseId) => rm(folder(releaseId), { recursive: true, force: true }),
    list: (releaseId) => listFolder(folder(releaseId)),
    paths: (releaseId) => pathsIn(folder(releaseId)),
    find: (releaseId, path) =>
      stat(join(folder(releaseId), path)).then(
        (found) =>
          found.isFile() ? { kind: 'local', folder: folder(releaseId), path, bytes: found.size } : null,
        () => null,
      ),
    read: async (releaseId, path) => createReadStream(join(folder(releaseId), path)),
    moveIn: async () => {},
    sweep: async () => {},
    figures: () => null,
    problem,
  };
}
