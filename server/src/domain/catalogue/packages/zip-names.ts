import { Problem } from '../../../lib/errors.ts';
import { hasExcessiveCombiningMarks, toNfc } from '../../../lib/unicode.ts';

const reserved = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;
const maxDepth = 32;
const systemFiles = new Set(['.ds_store', 'thumbs.db']);

export function rejectName(name: string, reason: string): Problem {
  return new Problem(
    'package_unsafe',
    `The entry ${JSON.stringify(name.slice(0, 200))} ${reason}. Remove it, create the zip again, and upload it.`,
    { entry: name.slice(0, 200) },
  );
}

/**
 * Returns the segments of the path, or throws if a file with this name could end up outside the folder. Some Windows
 * programs separate them with backslashes.
 */
export function safeSegments(written: string): string[] {
  const name = written.replaceAll('\\', '/');
  if (Buffer.byteLength(name) > 1_024) throw rejectName(name, 'has a path longer than 1,024 bytes');
  if (/^[a-z]:/i.test(name)) throw rejectName(name, 'starts with a drive letter');
  if (name.includes(':'))
    throw rejectName(name, 'has a colon in its name, which Windows reserves for alternate data streams');
  if (name.startsWith('/')) throw rejectName(name, 'is an absolute path');
  if (/\p{Cc}/u.test(name)) throw rejectName(name, 'has a control character in its name');
  if (hasExcessiveCombiningMarks(name))
    throw rejectName(name, 'has more than 30 combining marks in a row in its name');
  const segments = name.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.length > maxDepth) throw rejectName(name, `is nested deeper than ${maxDepth} folders`);
  for (const segment of segments) {
    if (segment === '..') throw rejectName(name, 'points outside the package with ".."');
    if (reserved.test(segment)) throw rejectName(name, 'has a name that Windows reserves for a device');
    if (Buffer.byteLength(segment) > 255) throw rejectName(name, 'has a name longer than 255 bytes');
  }
  if (segments.length === 0 && !/^[./]+$/.test(name)) throw rejectName(name, 'has no name');
  return segments;
}

/** Paths with the same key are the same file on some file systems (case, Unicode form, trailing dots). */
export function foldedPath(path: string): string {
  return toNfc(toNfc(path).toLowerCase()).replace(/(?<![. ])[. ]+(?=\/|$)/g, '');
}

/** Files that operating systems add to zips and that no course needs. */
export function isSystemFile(segments: string[]): boolean {
  return segments[0] === '__MACOSX' || systemFiles.has(segments.at(-1)?.toLowerCase() ?? '');
}
