import { access, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import mime from 'mime-types';
import type { Context } from '../../../infra/context/context.ts';
import { partOfState } from '../../../infra/context/node-state.ts';
import { toNfc } from '../../../lib/unicode.ts';

/** Content types of files from old authoring tools, in addition to the registered types. */
const types: Record<string, string> = {
  '.htm': 'text/html',
  '.mht': 'text/html',
  '.swf': 'application/x-shockwave-flash',
};

/**
 * Returns the content type of a course file without a charset. A charset in the header would
 * override the `meta` element of pages that are not UTF-8.
 */
export function contentTypeOf(path: string): string {
  const extension = /\.[^./]*$/.exec(path)?.[0].toLowerCase() ?? '';
  return types[extension] ?? (mime.lookup(extension) || 'application/octet-stream');
}

/** Imports reject longer paths. */
const maxPathLength = 1024;
/** Maximum size of all cached indexes together, in characters. */
const maxIndexCharacters = 32 * 1024 ** 2;
const namesPerTurn = 100;

/** A release's paths by their case-folded form. */
type Index = { paths: Map<string, string>; size: number };

type Entry = { index: Promise<Index | null>; size: number; since: number };

/**
 * Indexes never become outdated, because a release's folder never changes. The least recently used
 * one comes first. `last` is the pending read: folders are read one at a time.
 */
const indexes = partOfState('course_file_names', () => ({
  known: new Map<string, Entry>(),
  last: Promise.resolve(),
}));
/**
 * Minimum age before an index is evicted. Otherwise, two large courses could evict each other with
 * every request.
 */
const minCacheMilliseconds = 60_000;

/**
 * Returns the file's path on disk, or null. Courses made on Windows may refer to files in a
 * different case. Imports reject names that differ only in case, so at most one file matches.
 */
export async function locateFile(
  ctx: Context,
  { folder, path }: { folder: string; path: string },
): Promise<string | null> {
  const parts = path.split('/').filter((part) => part !== '');
  if (parts.some((part) => part === '..' || part === '.' || part.includes('\0') || part.includes('\\')))
    return null;
  const exact = parts.join('/');
  if (exact.length > maxPathLength) return null;
  if (await exists(join(folder, exact))) return exact;
  return (await indexOf(ctx, folder))?.paths.get(fold(exact)) ?? null;
}

function indexOf(ctx: Context, folder: string): Promise<Index | null> {
  const all = indexes(ctx);
  const { known } = all;
  const entry = known.get(folder) ?? {
    index: all.last.then(() => readIndex(folder)),
    size: 0,
    since: performance.now(),
  };
  if (!known.has(folder)) {
    entry.index.then(
      (index) => {
        if (index === null) known.delete(folder);
        else entry.size = index.size;
        forgetOldest(known);
      },
      () => known.delete(folder),
    );
    all.last = entry.index.then(
      () => {},
      () => {},
    );
  }
  known.delete(folder);
  known.set(folder, entry);
  return entry.index;
}

function forgetOldest(known: Map<string, Entry>): void {
  let total = 0;
  for (const { size } of known.values()) total += size;
  const now = performance.now();
  for (const [folder, { size, since }] of known) {
    if (total <= maxIndexCharacters || known.size === 1) return;
    if (now - since < minCacheMilliseconds) continue;
    known.delete(folder);
    total -= size;
  }
}

/**
 * Returns null if the folder does not exist. Reads a few hundred names at a time, so that other
 * requests can run in between. Node's recursive `readdir` calls `stat` synchronously for each file,
 * which took 1.8 s for 20,000 long names.
 */
async function readIndex(folder: string): Promise<Index | null> {
  const index: Index = { paths: new Map(), size: 0 };
  const folders = [''];
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    const entries = await opendir(join(folder, path), { bufferSize: namesPerTurn }).catch(() => null);
    if (entries === null) return null;
    let n = 0;
    for await (const entry of entries) {
      const name = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) folders.push(name);
      else {
        index.paths.set(fold(name), name);
        index.size += 2 * name.length + 100;
      }
      if (++n % namesPerTurn === 0) await setImmediate();
    }
  }
  return index;
}

function fold(name: string): string {
  return toNfc(name).toLowerCase();
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
