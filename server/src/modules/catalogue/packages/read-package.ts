import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openPromise, type ZipFile } from 'yauzl';
import { readManifest } from '../../../../../standards/manifest.ts';
import { PackageRejection } from '../../../../../standards/rejection.ts';
import type { PackageReport } from '../../../../../standards/types.ts';
import { createWarnings } from '../../../../../standards/warnings.ts';
import { rejectOtherStandards, startPage, titleOfPage, webTree } from '../../../../../standards/web.ts';
import { invalid, maxXmlBytes } from '../../../../../standards/xml.ts';
import { Problem } from '../../../platform/errors.ts';
import { createFileIndex } from './file-index.ts';
import { type CheckedEntry, checkEntries, type PackageLimits } from './zip-entries.ts';
import { extractEntries } from './zip-extract.ts';

export type PackageSource = {
  /** Path of the zip. */
  file: string;
  /** Path of the folder to create. It ends up complete and durable, or does not exist. */
  folder: string;
  limits: PackageLimits;
  /** Title of the course if the package has none. */
  title?: string;
};

const maxTreeLength = 2 * 1_048_576;

type Warnings = ReturnType<typeof createWarnings>;

/** Checks the zip, unpacks it into a new folder, and describes the course it contains. */
export async function readPackage({ file, folder, limits, title }: PackageSource): Promise<PackageReport> {
  const zip = await openZip(file);
  try {
    const warnings = createWarnings();
    const entries = withoutWrapper(await readable(checkEntries(zip, limits)), warnings);
    await mkdir(folder);
    try {
      await extractEntries(zip, entries, folder);
      const paths = entries.map(({ path }) => path);
      const course = await identify(folder, paths, title ?? null, warnings);
      checkTree(course.Tree);
      const Bytes = entries.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0);
      return { ...course, Warnings: warnings.list(), Files: entries.length, Bytes };
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error instanceof PackageRejection ? new Problem(error.code, error.message, error.place) : error;
    }
  } finally {
    zip.close();
  }
}

/** `autoClose` is off so that the descriptor stays open until the last file is written. */
async function openZip(file: string): Promise<ZipFile> {
  const options = { autoClose: false, decodeStrings: false, validateEntrySizes: false };
  const zip = await readable(openPromise(file, options));
  zip.on('error', () => {});
  return zip;
}

/** Errors from the zip reader that have no error number concern the file's content, not the disk. */
async function readable<Result>(reading: Promise<Result>): Promise<Result> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof Error) || error instanceof Problem || 'errno' in error) throw error;
    const detail = `The file is not a zip archive or is incomplete (${error.message.slice(0, 200)}). Upload the zip that the authoring tool created.`;
    throw new Problem('package_not_zip', detail);
  }
}

/** Skips a wrapper folder, because many packages contain a folder instead of that folder's contents. */
function withoutWrapper(entries: CheckedEntry[], warnings: Warnings): CheckedEntry[] {
  let inner = entries;
  for (;;) {
    const top = inner[0]?.path.split('/')[0] ?? '';
    if (inner.length === 0 || !inner.every(({ path }) => path.startsWith(`${top}/`))) break;
    inner = inner.map(({ entry, path }) => ({ entry, path: path.slice(top.length + 1) }));
  }
  const outer = entries[0]?.path.slice(0, -(inner[0]?.path.length ?? 0));
  if (inner !== entries) {
    warnings.warn(null)(
      `The course is in the folder ${outer} of the zip and was imported from there; this makes no difference to learners`,
    );
  }
  return inner;
}

async function identify(
  folder: string,
  paths: string[],
  fallback: string | null,
  { warn }: Warnings,
): Promise<Pick<PackageReport, 'Standard' | 'Title' | 'Tree'>> {
  const files = createFileIndex(paths);
  const manifest = files.find('imsmanifest.xml');
  if (manifest !== null) {
    const path = join(folder, manifest);
    if ((await stat(path)).size > maxXmlBytes) throw invalid(manifest, null, 'it is larger than 16 MiB');
    if (manifest !== 'imsmanifest.xml')
      warn(manifest)('The manifest should be named imsmanifest.xml; this makes no difference to learners');
    const report = readManifest(await readFile(path), manifest, files, warn(manifest));
    return { ...report, Title: report.Title ?? fallback ?? 'Untitled course' };
  }
  rejectOtherStandards(paths, files);
  const page = startPage(paths, files);
  if (page === null) throw noCourse(paths);
  const title = titleOfPage(await readHead(join(folder, page))) ?? fallback ?? 'Untitled course';
  return { Standard: 'web', Title: title, Tree: webTree(page, title) };
}

/** The tree is parsed for every launch, so a larger one would delay other callers. */
function checkTree(tree: PackageReport['Tree']): void {
  const { length } = JSON.stringify(tree);
  if (length <= maxTreeLength) return;
  const detail = `The units and sequencing rules of the course need ${length} characters, but the maximum is ${maxTreeLength}. Split the course.`;
  throw new Problem('package_too_large', detail);
}

function noCourse(paths: string[]): Problem {
  const deeper = paths.find((path) => /(^|\/)imsmanifest\.xml$/i.test(path));
  const hint = deeper
    ? `There is a manifest at ${deeper}: zip the contents of that folder, not the folder itself.`
    : 'Put imsmanifest.xml (SCORM) or index.html (web page) at the top level of the zip.';
  return new Problem(
    'package_invalid',
    `The zip has neither a manifest nor a start page at its top level. ${hint}`,
  );
}

async function readHead(path: string): Promise<Uint8Array> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(65_536), 0, 65_536, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
