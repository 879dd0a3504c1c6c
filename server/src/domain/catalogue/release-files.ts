import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { isMedia } from '../../../../standards/media.ts';
import type { PackageReport, PackageWarning, Unit } from '../../../../standards/types.ts';
import { nodesIn } from '../../../../standards/unit-status.ts';
import { type PageQuery, pageLimit, readCursor, toPage } from '../../http/pagination.ts';
import type { Context } from '../../infra/context/context.ts';
import type { ListedFile } from '../../infra/storage/package-files.ts';
import { Problem } from '../../lib/errors.ts';
import { importPackage } from './import-package.ts';
import { isPage, mediaTypes } from './packages/media-file.ts';
import { readHead } from './packages/read-head.ts';
import { foldedPath, safeSegments } from './packages/zip-names.ts';
import { courseNotFound, releaseNotFound } from './problems.ts';
import type { Release, ReleaseFile } from './schemas.ts';
import { contentsOf, warningsOf } from './stored-release.ts';

/** The release with this number or, if it is null, the current release. */
async function findRelease(
  ctx: Context,
  { courseId, release }: { courseId: string; release: number | null },
) {
  const course = await ctx.db
    .selectFrom('course')
    .select('release_id')
    .where('course_id', '=', courseId)
    .executeTakeFirst();
  if (!course) throw courseNotFound();
  const row = await ctx.db
    .selectFrom('release')
    .select(['release_id', 'number', 'standard', 'tree', 'warnings', 'files'])
    .where('course_id', '=', courseId)
    .where((where) =>
      release === null ? where('release_id', '=', course.release_id) : where('number', '=', release),
    )
    .executeTakeFirst();
  if (!row) throw releaseNotFound();
  const files = row.files === 0 ? [] : await filesOf(ctx, row.release_id);
  const paths = files.map(({ path }) => path);
  return { ...row, ...contentsOf(row), warnings: warningsOf(row), files, paths };
}

async function filesOf(ctx: Context, releaseId: string): Promise<ListedFile[]> {
  const files = await ctx.files.list(releaseId);
  if (!files)
    throw new Problem('unavailable', 'The files of this release are missing. Import the package again.', {
      retryAfter: 60,
    });
  return files.sort((one, other) => (one.path < other.path ? -1 : 1));
}

export async function listReleaseFiles(
  ctx: Context,
  input: PageQuery & { courseId: string; release: number },
) {
  const release = await findRelease(ctx, input);
  const after = readCursor(input);
  const limit = pageLimit(input);
  const found = release.files.filter(({ path }) => after === null || path > after).slice(0, limit + 1);
  const files = found.map(({ path, bytes }): ReleaseFile => ({ Path: path, Bytes: bytes }));
  return toPage(
    files,
    limit,
    ({ Path }) => Path,
    (file) => file,
  );
}

/** The same files give the same bytes. `replaced` has a path that is left out, and its new content. */
function zipOf(
  ctx: Context,
  { release_id: releaseId, files }: { release_id: string; files: readonly ListedFile[] },
  { compress, replaced }: { compress: boolean; replaced?: { path: string; content: Readable } },
): Readable {
  const zip = new ZipFile();
  const options = { mtime: new Date(2000, 0, 1), mode: 0o100644, forceDosTimestamp: true, compress };
  for (const { path, bytes: size } of files)
    if (path !== replaced?.path)
      zip.addReadStreamLazy(path, { ...options, size }, (done) => {
        ctx.files.read(releaseId, path).then(
          (stream) => done(null, stream),
          (error: unknown) => done(error, undefined as never),
        );
      });
  if (replaced) zip.addReadStream(replaced.content, replaced.path, options);
  zip.end();
  const output = zip.outputStream as Readable;
  for (const source of [zip, replaced?.content]) source?.once('error', (error) => output.destroy(error));
  return output;
}

/** The package of a release: its single file, or a zip that is equal to the imported one. */
export async function downloadPackage(ctx: Context, input: { courseId: string; release: number }) {
  const release = await findRelease(ctx, input);
  const { paths, standard, number } = release;
  const [only] = paths;
  const single = isMedia(standard) && paths.length === 1 ? only : undefined;
  const type = Object.keys(mediaTypes).find((key) => mediaTypes[key] === standard);
  const name = `${input.courseId}-${number}${single?.replace(/^[^.]*/, '') ?? '.zip'}`;
  return {
    type: single !== undefined && type ? type : 'application/zip',
    name,
    content:
      single === undefined
        ? zipOf(ctx, release, { compress: true })
        : await ctx.files.read(release.release_id, single),
  };
}

/** Replaces or adds one file of the current release. The result is a new release, which is checked like an import. */
export async function putFile(
  ctx: Context,
  input: { courseId: string; path: string; content: Readable; isCurrent: boolean },
): Promise<{ release: Release }> {
  const { courseId, content, isCurrent } = input;
  const before = await findRelease(ctx, { courseId, release: null });
  const written = safeSegments(input.path).join('/');
  const path = before.paths.find((known) => foldedPath(known) === foldedPath(written)) ?? written;
  const { standard } = before;
  const { release } = await importPackage(ctx, {
    courseId,
    zip: zipOf(ctx, before, { compress: false, replaced: { path, content } }),
    isCurrent,
    basedOn: before.release_id,
    ...(isMedia(standard) && { kind: standard, isZipped: true }),
    check: async (report, made) => {
      await checkLaunchPage(report, made, path);
      checkWarnings(report, before.warnings);
    },
  });
  return { release };
}

const isLaunchPage =
  (path: string) =>
  ({ Href, Media }: Unit) =>
    Href !== null && !Media && decodeURI(Href.replace(/[?#].*$/, '')) === path && /\.html?$/i.test(path);

/** Rejects a launch page that browsers would show as an error or as a download. */
async function checkLaunchPage({ Tree }: PackageReport, folder: string, path: string): Promise<void> {
  const unit = [...nodesIn(Tree.Units).values()].find(isLaunchPage(path));
  if (!unit || isPage(await readHead(join(folder, path)))) return;
  throw new Problem(
    'package_invalid',
    `${path} opens the unit “${unit.Title}”, but the new file is not an HTML page, so learners could not start the unit. Send an HTML page, or import a whole package.`,
    { file: path },
  );
}

/** Rejects errors that the release did not have before. */
function checkWarnings({ Warnings }: PackageReport, before: readonly PackageWarning[]): void {
  const known = new Set(before.map(({ Message }) => Message));
  const found = Warnings.find(({ Severity, Message }) => Severity === 'error' && !known.has(Message));
  if (!found) return;
  const place = { ...(found.File && { file: found.File }), ...(found.Line && { line: found.Line }) };
  throw new Problem(
    'package_invalid',
    `With this file, the course could not be played: ${found.Message}. Correct the file, or import a whole package.`,
    place,
  );
}
