import { type Entry, getFileNameLowLevel, type ZipFile } from 'yauzl';
import { Problem } from '../../../lib/errors.ts';
import { foldedPath, isSystemFile, rejectName, safeSegments } from './zip-names.ts';

export type PackageLimits = { bytes: number; entries: number; ratio: number };

/** An archived file that has passed every check that needs no decompression. */
export type CheckedEntry = { path: string; entry: Entry };

type Named = { entry: Entry; name: string; segments: string[]; directory: boolean };

const special = new Map([
  [0o120000, 'is a symbolic link'],
  [0o010000, 'is a named pipe'],
  [0o020000, 'is a device'],
  [0o060000, 'is a device'],
  [0o140000, 'is a socket'],
]);

/** Maximum size of the comments and extra fields, which are in memory for all entries at the same time. */
const maxRemarks = 16 * 1_048_576;

/** Below this size no ratio is suspicious: a blank page compresses well too. */
const smallBytes = 1_048_576;

/** Reads the central directory and rejects archives that are malicious or cannot be extracted faithfully. */
export async function checkEntries(zip: ZipFile, limits: PackageLimits): Promise<CheckedEntry[]> {
  if (zip.entryCount > limits.entries) throw tooMany(limits);
  const all: Named[] = [];
  let bytes = 0;
  let remarks = 0;
  for await (const entry of zip.eachEntry()) {
    if (all.length >= limits.entries) throw tooMany(limits);
    const named = checkEntry(entry);
    remarks += entry.extraFieldLength + entry.fileCommentLength;
    if (remarks > maxRemarks)
      throw rejectName(named.name, 'has comments or extra fields that are far too long');
    bytes += entry.uncompressedSize;
    if (bytes > limits.bytes) {
      const why = `The unpacked package is larger than ${limits.bytes} bytes`;
      throw new Problem(
        'package_too_large',
        `${why} (exceeded at ${named.name}). Remove files that learners do not need.`,
      );
    }
    checkRatio(named.name, entry.uncompressedSize, entry.compressedSize, limits.ratio);
    all.push(named);
  }
  checkRatio(all.at(-1)?.name ?? '', bytes, zip.fileSize, limits.ratio);
  await checkLayout(zip, all);
  const wanted = all.filter(({ segments }) => segments.length > 0 && !isSystemFile(segments));
  checkCollisions(wanted, limits);
  return wanted
    .filter(({ directory }) => !directory)
    .map(({ entry, segments }) => ({ entry, path: segments.join('/') }));
}

function tooMany(limits: PackageLimits): Problem {
  const detail = `The package contains more than ${limits.entries} files and folders. Split the course, or remove files that learners do not need.`;
  return new Problem('package_too_large', detail);
}

function checkEntry(entry: Entry): Named {
  const name = decodedName(entry);
  const segments = safeSegments(name);
  const mode = (entry.externalFileAttributes >>> 16) & 0o170000;
  const why = special.get(mode);
  if (why) throw rejectName(name, why);
  if (entry.isEncrypted()) throw rejectName(name, 'is encrypted');
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    throw rejectName(name, `is compressed with method ${entry.compressionMethod}; use "deflate"`);
  }
  const marked = mode === 0o040000 || (entry.externalFileAttributes & 0x10) !== 0;
  const directory = /[/\\]$/.test(name) || segments.length === 0 || (marked && entry.uncompressedSize === 0);
  if (directory && entry.uncompressedSize > 0) throw rejectName(name, 'is a folder that contains data');
  return { entry, name, segments, directory };
}

/**
 * macOS writes names in UTF-8 without declaring it. Names in code page 437 that happen to be valid
 * UTF-8 do not occur in practice.
 */
function decodedName(entry: Entry): string {
  const raw = entry.fileNameRaw;
  const utf8 = raw.toString('utf8');
  if (Buffer.from(utf8).equals(raw) && !entry.extraFields.some(({ id }) => id === 0x7075)) return utf8;
  return getFileNameLowLevel(entry.generalPurposeBitFlag, raw, entry.extraFields, true);
}

function checkRatio(name: string, bytes: number, compressed: number, ratio: number): void {
  if (bytes <= smallBytes || bytes <= ratio * Math.max(compressed, 1)) return;
  throw rejectName(name, `unpacks to more than ${ratio} times its size, like a zip bomb`);
}

/** Every local header must repeat the directory's name, and no two entries may share bytes. */
async function checkLayout(zip: ZipFile, all: Named[]): Promise<void> {
  const byOffset = all.toSorted(
    (a, b) => a.entry.relativeOffsetOfLocalHeader - b.entry.relativeOffsetOfLocalHeader,
  );
  let end = 0;
  for (const { entry, name } of byOffset) {
    if (entry.relativeOffsetOfLocalHeader < end) throw rejectName(name, 'overlaps another entry');
    const header = await zip.readLocalFileHeaderPromise(entry, {}).catch(() => {
      throw rejectName(name, 'cannot be found in the archive');
    });
    if (!header.fileName.equals(entry.fileNameRaw))
      throw rejectName(name, 'has a different name in its own header');
    if (header.compressionMethod !== entry.compressionMethod) {
      throw rejectName(name, 'has a different compression method in its own header');
    }
    end = header.fileDataStart + entry.compressedSize;
  }
}

/**
 * Folders may be listed twice, but each file needs a unique name. This also checks folders that
 * only occur within a path.
 */
function checkCollisions(all: Named[], limits: PackageLimits): void {
  const seen = new Map<string, { name: string; directory: boolean }>();
  for (const { name, segments, directory } of all) {
    for (let depth = 1; depth <= segments.length; depth += 1) {
      const key = foldedPath(segments.slice(0, depth).join('/'));
      const isFolder = directory || depth < segments.length;
      const other = seen.get(key);
      if (other && !(isFolder && other.directory)) {
        throw rejectName(name, `has the same name as ${JSON.stringify(other.name)} on some computers`);
      }
      if (!other) seen.set(key, { name, directory: isFolder });
      if (seen.size > limits.entries) throw tooMany(limits);
    }
  }
}
