import { mkdir, rm } from 'node:fs/promises';
import { openPromise, type ZipFile } from 'yauzl';
import { PackageRejection } from '../../../../../standards/rejection.ts';
import type { MediaStandard, PackageReport } from '../../../../../standards/types.ts';
import { createWarnings } from '../../../../../standards/warnings.ts';
import { Problem } from '../../../lib/errors.ts';
import { isXmlFile, readCourseStructureFile } from './course-structure-file.ts';
import { identifyCourse, type Warnings } from './identify-course.ts';
import { identifyMedia, readMediaFile } from './media-file.ts';
import { type CheckedEntry, checkEntries, type PackageLimits } from './zip-entries.ts';
import { extractEntries } from './zip-extract.ts';

export type PackageSource = {
  /** Path of the zip, or of a cmi5 course structure. */
  file: string;
  /**
   * Path of the folder to create. After an import, the folder is complete and durable. After an
   * error, it does not exist.
   */
  folder: string;
  limits: PackageLimits;
  /** Title of the course if the package has none. */
  title?: string;
  /** What a course with a single file is. The upload is that file, or a zip of its release if `isZipped` is set. */
  kind?: MediaStandard;
  isZipped?: boolean;
};

/** Checks the upload, unpacks it into a new folder, and describes the course it contains. */
export async function readPackage(source: PackageSource): Promise<PackageReport> {
  const warnings = createWarnings();
  const report = await readUpload(source, warnings);
  return { ...report, Warnings: warnings.list() };
}

async function readUpload(source: PackageSource, warnings: Warnings) {
  const { file, folder, kind, isZipped = false } = source;
  if (kind && !isZipped) return removeOnFailure(folder, () => readMediaFile({ ...source, kind }, warnings));
  return (await isXmlFile(file))
    ? translateErrors(() => readCourseStructureFile(source, warnings))
    : readZip(source, warnings);
}

async function readZip(
  { file, folder, limits, title, kind }: PackageSource,
  warnings: Warnings,
): Promise<Omit<PackageReport, 'Warnings'>> {
  const zip = await openZip(file);
  try {
    const entries = withoutWrapper(await translateZipErrors(checkEntries(zip, limits)), warnings);
    await mkdir(folder);
    return await removeOnFailure(folder, async () => {
      await extractEntries(zip, entries, folder);
      const paths = entries.map(({ path }) => path);
      const known = { title: title ?? null };
      const course = kind
        ? await identifyMedia(folder, paths, { ...known, kind }, warnings)
        : await identifyCourse(folder, paths, known.title, warnings);
      const Bytes = entries.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0);
      return { ...course, Files: entries.length, Bytes };
    });
  } finally {
    zip.close();
  }
}

/** Removes the folder if the course is rejected. */
async function removeOnFailure<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await translateErrors(work);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function translateErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof PackageRejection ? new Problem(error.code, error.message, error.place) : error;
  }
}

/** `autoClose` is off so that the descriptor stays open until the last file is written. */
async function openZip(file: string): Promise<ZipFile> {
  const options = { autoClose: false, decodeStrings: false, validateEntrySizes: false };
  const zip = await translateZipErrors(openPromise(file, options));
  zip.on('error', () => {});
  return zip;
}

/** Errors from the zip reader that have no error number concern the file's content, not the disk. */
async function translateZipErrors<Result>(reading: Promise<Result>): Promise<Result> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof Error) || error instanceof Problem || 'errno' in error) throw error;
    const detail =
      'The file is not a zip archive, or is incomplete or damaged. Upload the zip that the authoring tool created.';
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
      'note',
      `The course is in the folder ${outer} of the zip and was imported from there; this makes no difference to learners`,
    );
  }
  return inner;
}
