import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import mime from 'mime-types';
import { type ConstantFile, compressUntrusted, constantFile } from '../../../http/built-files.ts';
import { createCache } from '../../../infra/context/cache.ts';
import { type Context, partOfState } from '../../../infra/context/context.ts';
import type { FoundFile } from '../../../infra/storage/package-files.ts';
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

/** A release's paths by their case-folded form. */
type Index = { paths: Map<string, string>; size: number };

type Entry = { index: Promise<Index | null>; size: number; since: number };

/**
 * Indexes never become outdated, because a release's files never change. The least recently used
 * one comes first. `last` is the pending read: releases are read one at a time.
 */
const indexes = partOfState('course_file_names', () => ({
  known: new Map<string, Entry>(),
  last: Promise.resolve(),
}));
/** Minimum age before an index is evicted. Otherwise, two large courses could evict each other with every request. */
const minCacheMilliseconds = 60_000;

/**
 * Courses made on Windows may refer to files in a different case. Imports reject names that differ only in case, so at
 * most one file matches.
 */
export async function findFile(
  ctx: Context,
  { releaseId, path }: { releaseId: string; path: string },
): Promise<FoundFile | null> {
  const parts = path.split('/').filter((part) => part !== '');
  if (parts.some((part) => part === '..' || part === '.' || part.includes('\0') || part.includes('\\')))
    return null;
  const exact = parts.join('/');
  if (exact.length > maxPathLength) return null;
  const found = await ctx.files.find(releaseId, exact);
  if (found) return found;
  const similar = (await indexOf(ctx, releaseId))?.paths.get(fold(exact));
  return similar === undefined ? null : ctx.files.find(releaseId, similar);
}

function indexOf(ctx: Context, releaseId: string): Promise<Index | null> {
  const all = indexes(ctx);
  const { known } = all;
  const entry = known.get(releaseId) ?? {
    index: all.last.then(() => readIndex(ctx, releaseId)),
    size: 0,
    since: performance.now(),
  };
  if (!known.has(releaseId)) {
    entry.index.then(
      (index) => {
        if (index === null) known.delete(releaseId);
        else entry.size = index.size;
        forgetOldest(known);
      },
      () => known.delete(releaseId),
    );
    all.last = entry.index.then(
      () => {},
      () => {},
    );
  }
  known.delete(releaseId);
  known.set(releaseId, entry);
  return entry.index;
}

function forgetOldest(known: Map<string, Entry>): void {
  let total = 0;
  for (const { size } of known.values()) total += size;
  const now = performance.now();
  for (const [releaseId, { size, since }] of known) {
    if (total <= maxIndexCharacters || known.size === 1) return;
    if (now - since < minCacheMilliseconds) continue;
    known.delete(releaseId);
    total -= size;
  }
}

/** Returns null if the release has no files. */
async function readIndex(ctx: Context, releaseId: string): Promise<Index | null> {
  const paths = await ctx.files.paths(releaseId);
  if (!paths) return null;
  const index: Index = { paths: new Map(), size: 0 };
  for (const path of paths) {
    index.paths.set(fold(path), path);
    index.size += 2 * path.length + 100;
  }
  return index;
}

function fold(name: string): string {
  return toNfc(name).toLowerCase();
}

const compressible = /^text\/|^image\/(svg|bmp)|javascript|json|xml|wasm|^font\/(ttf|otf)/;

/** Larger files are mostly media: they are streamed, and not compressed. */
const smallBytes = { text: 1024 * 1024, other: 64 * 1024 };
const keptBytes = 64 * 1024 * 1024;

/** Sending a small file from memory takes a third of the CPU time of streaming it. */
const smallFiles = createCache<{ file: ConstantFile | null } | null>({
  name: 'small_files',
  milliseconds: 3_600_000,
  max: 10_000,
  bytes: { of: (found) => found?.file?.body.length ?? 0, max: keptBytes },
  load: async (ctx, key) => {
    const [releaseId, path] = JSON.parse(key) as [string, string];
    const found = await findFile(ctx, { releaseId, path });
    if (found?.kind !== 'local') return null;
    const type = contentTypeOf(path);
    const isText = compressible.test(type);
    if (found.bytes > (isText ? smallBytes.text : smallBytes.other)) return { file: null };
    const body = await readFile(join(found.folder, found.path));
    return { file: constantFile(type, body, isText ? compressUntrusted : null) };
  },
});

/** The file, if it is small enough to be sent from memory. */
export async function smallFile(
  ctx: Context,
  { releaseId, path }: { releaseId: string; path: string },
): Promise<ConstantFile | null> {
  return (await smallFiles.get(ctx, JSON.stringify([releaseId, path])))?.file ?? null;
}
