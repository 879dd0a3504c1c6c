import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import mime from 'mime-types';
import { toNfc } from '../../platform/unicode.ts';

/** What old authoring tools write, beside the registered types. */
const types: Record<string, string> = {
  '.htm': 'text/html',
  '.mht': 'text/html',
  '.swf': 'application/x-shockwave-flash',
};

/**
 * The content type of a course file, without a charset: the header would win over the `meta` element of pages that
 * were not written in UTF-8.
 */
export function contentTypeOf(path: string): string {
  const extension = /\.[^./]*$/.exec(path)?.[0].toLowerCase() ?? '';
  return types[extension] ?? (mime.lookup(extension) || 'application/octet-stream');
}

/**
 * The file's path as it is on disk, or null. Courses made on Windows name their files in any letter case; an import
 * refuses names that differ in case only, so at most one fits.
 */
export async function locateFile(folder: string, path: string): Promise<string | null> {
  const parts = path.split('/').filter((part) => part !== '');
  if (parts.some((part) => part === '..' || part === '.' || part.includes('\0') || part.includes('\\')))
    return null;
  const exact = parts.join('/');
  if (await exists(join(folder, exact))) return exact;
  const found: string[] = [];
  for (const part of parts) {
    const names = await readdir(join(folder, ...found)).catch(() => []);
    const name = names.find((candidate) => fold(candidate) === fold(part));
    if (name === undefined) return null;
    found.push(name);
  }
  return found.join('/');
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
