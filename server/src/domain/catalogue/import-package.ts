import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PackageReport } from '../../../../standards/types.ts';
import { transaction } from '../../db/transaction.ts';
import type { Context } from '../../infra/context/context.ts';
import type { StoredFile } from '../../infra/storage/package-files.ts';
import { insertStoredFiles } from '../../infra/storage/stored-files.ts';
import { Problem } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { appendAudit, deployment } from '../audit/chain.ts';
import { notifyTenants } from '../events/append.ts';
import { examinePackage } from './packages/examine-package.ts';
import type { PackageSource } from './packages/read-package.ts';
import { cutAppendedBytes } from './packages/zip-end.ts';
import { pathHasNoContent } from './path-parts.ts';
import { courseNotFound } from './problems.ts';
import { announceRelease, toRelease } from './releases.ts';
import type { Release } from './schemas.ts';

/** A higher compression ratio than this is a zip bomb, not a course. */
const maxRatio = 1000;

export type PackageUpload = Pick<PackageSource, 'kind' | 'isZipped'> & {
  courseId: string;
  /** The zip, or the single file. */
  zip: Readable;
  isCurrent?: boolean;
  /** Rejects a release that was read, before it is stored. `folder` has its files. */
  check?: (report: PackageReport, folder: string) => Promise<void>;
  /** The release that must still be current when the new one is stored. */
  basedOn?: string;
};

/**
 * Imports a zip as a new release of a course, which becomes current unless `isCurrent` is false. A failed import leaves
 * nothing behind, except for a folder if it is unknown whether the release was stored.
 */
export async function importPackage(
  ctx: Context,
  input: PackageUpload,
): Promise<{ release: Release; isNew: boolean }> {
  const course = await ctx.db
    .selectFrom('course')
    .select('title')
    .where('course_id', '=', input.courseId)
    .executeTakeFirst();
  if (!course) throw courseNotFound();
  return ctx.imports.run(async (inTurn) => {
    const releaseId = newId(ctx.now());
    const zipFile = await ctx.files.scratch(`${releaseId}.zip`);
    const folder = await ctx.files.scratch(releaseId);
    try {
      const sha256 = await writeZip(ctx, input.zip, zipFile);
      await cutAppendedBytes(zipFile);
      const report = await inTurn(() =>
        examinePackage(ctx, {
          file: zipFile,
          folder,
          title: course.title,
          ...(input.kind && { kind: input.kind, isZipped: input.isZipped ?? false }),
          limits: { bytes: ctx.config.packageBytes, entries: ctx.config.packageEntries, ratio: maxRatio },
        }),
      );
      await input.check?.(report, folder);
      const stored = await ctx.files.keep(folder, releaseId);
      const { isCurrent = true } = input;
      const row = await insertRelease(ctx, { ...input, isCurrent, releaseId, report, sha256, stored }).catch(
        async (error: unknown) => {
          // After any other error, such as a lost connection, the release may have been stored.
          if (error instanceof Problem && error.status < 500) await ctx.files.remove(releaseId);
          throw error;
        },
      );
      return { release: toRelease(row), isNew: row.number === 1 };
    } finally {
      await ctx.files.discard(zipFile);
      await ctx.files.discard(folder);
    }
  });
}

async function writeZip(ctx: Context, zip: Readable, file: string): Promise<string> {
  const hash = createHash('sha256');
  let bytes = 0;
  // Do not destroy the upload when the pipeline ends. The rest of the upload is drained, so that the sender
  // gets the response and can reuse the connection.
  await pipeline(
    zip.iterator({ destroyOnReturn: false }),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > ctx.config.packageBytes)
          throw new Problem(
            'package_too_large',
            `The file is larger than the maximum of ${ctx.config.packageBytes} bytes. Make it smaller.`,
          );
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(file),
  ).finally(() => zip.resume());
  return hash.digest('hex');
}

type NewRelease = {
  courseId: string;
  releaseId: string;
  report: PackageReport;
  sha256: string;
  /** The files, if they are in an object store. */
  stored: StoredFile[];
  isCurrent: boolean;
  basedOn?: string;
};

function insertRelease(ctx: Context, input: NewRelease) {
  const { courseId, releaseId, report, sha256, stored, isCurrent, basedOn } = input;
  return transaction(ctx, async (ctx) => {
    const course = await ctx.db
      .selectFrom('course')
      .select(['status', 'tenants', 'release_id', 'path'])
      .where('course_id', '=', courseId)
      .forUpdate()
      .executeTakeFirst();
    if (!course) throw courseNotFound();
    if (course.path !== null) throw pathHasNoContent();
    if (basedOn !== undefined && course.release_id !== basedOn)
      throw new Problem('touched', 'The current release has changed in the meantime. Send the file again.', {
        reason: 'changed',
      });
    const last = await ctx.db
      .selectFrom('release')
      .select('number')
      .where('course_id', '=', courseId)
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirst();
    const row = await ctx.db
      .insertInto('release')
      .values({
        release_id: releaseId,
        course_id: courseId,
        number: (last?.number ?? 0) + 1,
        standard: report.Standard,
        title: report.Title,
        tree: JSON.stringify(report.Tree),
        warnings: JSON.stringify(report.Warnings),
        files: report.Files,
        bytes: report.Bytes,
        sha256,
        created_at: ctx.now(),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await insertStoredFiles(ctx, { releaseId, files: stored });
    if (isCurrent)
      await ctx.db
        .updateTable('course')
        .set({ release_id: releaseId, updated_at: ctx.now() })
        .where('course_id', '=', courseId)
        .execute();
    await appendAudit(ctx, deployment, {
      action: 'release.imported',
      targetId: courseId,
      data: { Release: row.number, SHA256: sha256, Current: isCurrent },
    });
    if (isCurrent && course.status !== 'draft') {
      const { tenants } = course;
      const imported = { Release: row.number, Warnings: report.Warnings.length };
      await notifyTenants(ctx, { tenants, courseId, type: 'package.imported', data: imported });
      await announceRelease(ctx, { ...row, tenants });
    }
    return { ...row, current_id: isCurrent ? releaseId : course.release_id };
  });
}
