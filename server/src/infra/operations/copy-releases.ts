import { existsSync } from 'node:fs';
import { cp, link, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../lib/errors.ts';
import { measureFolder } from '../../lib/files.ts';

/** A release as the database knows it. */
export type KnownRelease = { id: string; courseId: string; number: number; files: number; bytes: number };

export async function isComplete(folder: string, { files, bytes }: KnownRelease): Promise<boolean> {
  const found = await measureFolder(folder);
  return found?.files === files && found.bytes === bytes;
}

/**
 * Copies the releases that are not in `to` yet. Files of a release never change, so those that the previous backup has
 * are linked. Returns how many releases were linked.
 */
export async function copyReleases(
  from: string,
  to: string,
  { previous, releases }: { previous: string | null; releases: readonly KnownRelease[] },
): Promise<number> {
  await mkdir(to, { recursive: true });
  const known = new Map(releases.map((release) => [release.id, release]));
  let linked = 0;
  for (const id of existsSync(from) ? await readdir(from) : []) {
    if (existsSync(join(to, id))) continue;
    const release = known.get(id);
    const earlier = previous && join(previous, id);
    if (earlier && release && (await isComplete(earlier, release)) && (await linkTree(earlier, join(to, id))))
      linked++;
    else {
      // Copying over a link would change the previous backup.
      await rm(join(to, id), { recursive: true, force: true });
      await copyTree(join(from, id), join(to, id));
    }
  }
  return linked;
}

/** The course may be deleted while its files are copied. */
async function copyTree(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true }).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT' || existsSync(from)) throw error;
  });
}

/** Returns false if the disk has no hard links, or not between these folders. */
async function linkTree(from: string, to: string): Promise<boolean> {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      if (!(await linkTree(source, target))) return false;
    } else {
      const code = await link(source, target).then(() => null, codeOf);
      if (code !== null) return false;
    }
  }
  return true;
}

/**
 * The newest complete backup in this folder. Folders that another user owns or can change are left out, because their
 * files may not be those of a backup.
 */
export async function findPrevious(folder: string, about: string): Promise<string | null> {
  let newest: { place: string; madeAt: string } | null = null;
  for (const name of await readdir(folder)) {
    const place = join(folder, name);
    const found = await stat(place).catch(() => null);
    if (!found) continue;
    const { uid, mode } = found;
    if (uid !== process.getuid?.() || (mode & 0o022) !== 0) continue;
    const text = await readFile(join(place, about), 'utf8').catch(() => null);
    const madeAt = text === null ? undefined : madeAtOf(text);
    if (madeAt !== undefined && madeAt > (newest?.madeAt ?? '')) newest = { place, madeAt };
  }
  return newest?.place ?? null;
}

function madeAtOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { MadeAt?: string } | null)?.MadeAt;
  } catch {
    return undefined;
  }
}
