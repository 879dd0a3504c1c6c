import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import mime from 'mime-types';
import type { Player } from '../../platform/admission.ts';
import { secondsToWait, spend } from '../../platform/budgets.ts';
import type { Context } from '../../platform/context.ts';
import { reject } from '../../platform/holds.ts';
import { perEngine } from '../../platform/per-engine.ts';
import { toNfc } from '../../platform/unicode.ts';

/** Types for files that old authoring tools write, in addition to the registered types. */
const types: Record<string, string> = {
  '.htm': 'text/html',
  '.mht': 'text/html',
  '.swf': 'application/x-shockwave-flash',
};

/**
 * The content type of a course file, without a charset: the header would override the `meta` element of pages
 * that are not UTF-8.
 */
export function contentTypeOf(path: string): string {
  const extension = /\.[^./]*$/.exec(path)?.[0].toLowerCase() ?? '';
  return types[extension] ?? (mime.lookup(extension) || 'application/octet-stream');
}

/** Longer paths are refused by an import. */
const longestPath = 1024;
/** For all releases together, in characters. */
const mostRemembered = 32 * 1024 ** 2;
const foldedInOneTurn = 500;

/** The paths of a release by their case-folded form. */
type Index = { paths: Map<string, string>; size: number };

/** The folder of a release never changes. Least recently used first. */
const indexes = perEngine(() => new Map<string, { index: Promise<Index | null>; size: number }>());

/**
 * The path of the file on disk, or null. Courses made on Windows use file names in any case; the import
 * rejects names that differ only in case, so at most one matches.
 */
export async function locateFile(
  ctx: Context,
  { player, folder, path }: { player: Player; folder: string; path: string },
): Promise<string | null> {
  const parts = path.split('/').filter((part) => part !== '');
  if (parts.some((part) => part === '..' || part === '.' || part.includes('\0') || part.includes('\\')))
    return null;
  const exact = parts.join('/');
  if (exact.length > longestPath) return null;
  if (await exists(join(folder, exact))) return exact;
  refuseManyMisses(ctx, player);
  const found = (await indexOf(ctx, folder))?.paths.get(fold(exact)) ?? null;
  if (found === null) spend(ctx.admission.fileMisses, player.sitting, ctx.now());
  return found;
}

function refuseManyMisses(ctx: Context, { sitting }: Player): void {
  const retryAfter = secondsToWait(ctx.admission.fileMisses, sitting, ctx.now());
  if (retryAfter === 0) return;
  const detail = 'Too many requests for files that do not exist in the course.';
  throw reject(ctx, 'runTime', 'session_rate', { detail, retryAfter });
}

function indexOf(ctx: Context, folder: string): Promise<Index | null> {
  const known = indexes(ctx);
  const entry = known.get(folder) ?? { index: readIndex(folder), size: 0 };
  if (!known.has(folder))
    entry.index.then(
      (index) => {
        if (index === null) known.delete(folder);
        else entry.size = index.size;
        forgetOldest(known);
      },
      () => known.delete(folder),
    );
  known.delete(folder);
  known.set(folder, entry);
  return entry.index;
}

function forgetOldest(known: Map<string, { size: number }>): void {
  let total = 0;
  for (const { size } of known.values()) total += size;
  for (const [folder, { size }] of known) {
    if (total <= mostRemembered || known.size === 1) return;
    known.delete(folder);
    total -= size;
  }
}

/** Null if the folder does not exist. */
async function readIndex(folder: string): Promise<Index | null> {
  const names = await readdir(folder, { recursive: true }).catch(() => null);
  if (names === null) return null;
  const index: Index = { paths: new Map(), size: 0 };
  for (const [n, name] of names.entries()) {
    index.paths.set(fold(name), name);
    index.size += 2 * name.length + 100;
    // Lets other requests proceed in the meantime.
    if (n % foldedInOneTurn === 0) await setImmediate();
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
