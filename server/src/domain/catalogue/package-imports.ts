import { extname } from 'node:path';
import type { Selectable } from 'kysely';
import type { MediaStandard } from '../../../../standards/types.ts';
import type { PackageImportTable } from '../../db/engine/generated.ts';
import { run } from '../../db/transaction.ts';
import { recordOf } from '../../http/records.ts';
import type { Context } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { isId, newId } from '../../lib/ids.ts';
import { checkUrl } from '../events/webhooks/addresses.ts';
import { download } from '../events/webhooks/download.ts';
import { importPackage } from './import-package.ts';
import { mediaTypes } from './packages/media-file.ts';
import { courseNotFound } from './problems.ts';
import { PackageImport } from './schemas.ts';

/** A download that takes longer is stopped. A running import that is twice as old belongs to a process that died. */
const downloadSeconds = 600;

type Row = Selectable<PackageImportTable>;

const toImport = (row: Row): PackageImport =>
  recordOf(PackageImport, row, {
    URL: row.url.replace(/[?#].*$/, ''),
  });

/** Queues an import. A job downloads the file. */
export async function createPackageImport(
  ctx: Context,
  input: { courseId: string; url: string; isCurrent: boolean },
): Promise<PackageImport> {
  const course = await ctx.db
    .selectFrom('course')
    .select('course_id')
    .where('course_id', '=', input.courseId)
    .executeTakeFirst();
  if (!course) throw courseNotFound();
  const url = await checkUrl(ctx.config, input.url);
  const now = ctx.now();
  const row = await ctx.db
    .insertInto('package_import')
    .values({
      ...{ import_id: newId(now), course_id: input.courseId, url, is_current: input.isCurrent },
      ...{ created_at: now, updated_at: now },
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toImport(row);
}

export async function readPackageImport(
  ctx: Context,
  { courseId, importId }: { courseId: string; importId: string },
): Promise<PackageImport> {
  const row = isId(importId)
    ? await ctx.db
        .selectFrom('package_import')
        .selectAll()
        .where('import_id', '=', importId)
        .where('course_id', '=', courseId)
        .executeTakeFirst()
    : undefined;
  if (!row) throw new Problem('not_found', 'The course has no import with this ImportID.');
  return toImport(row);
}

const claim = `
update package_import set status = 'running', updated_at = $1
where import_id = (
  select due.import_id from package_import due
  where due.status = 'queued'
    or (due.status = 'running' and due.updated_at < $1::timestamptz - interval '${2 * downloadSeconds} seconds')
  order by due.created_at limit 1 for update skip locked
) returning *`;

/** Job: carries out the queued imports, one after the other. */
export async function runPackageImports(ctx: Context): Promise<void> {
  for (;;) {
    const [row] = await run<Row>(ctx, claim, [ctx.now()]);
    if (!row) return;
    const outcome = await importFrom(ctx, row);
    await ctx.db
      .updateTable('package_import')
      .set({ ...outcome, url: row.url.replace(/[?#].*$/, ''), updated_at: ctx.now() })
      .where('import_id', '=', row.import_id)
      .execute();
  }
}

const extensions: Readonly<Record<string, MediaStandard>> = {
  '.pdf': 'document',
  '.mp4': 'video',
  '.mp3': 'audio',
  '.html': 'page',
  '.htm': 'page',
};

/**
 * What the file is, by its content type or, if the server sends a general one, by its extension. A page instead of
 * another file is usually a sign-in or error page.
 */
function kindOf(url: string, contentType = ''): MediaStandard | null {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  const extension = extname(new URL(url).pathname).toLowerCase();
  const [named, sent] = [extensions[extension] ?? null, mediaTypes[type] ?? null];
  if (sent === 'page' && extension !== '' && named !== 'page')
    throw new Problem(
      'package_invalid',
      `The server sent a page instead of a ${extension} file. Open the URL in a private window: it must lead to the file without signing in.`,
    );
  return sent ?? (extension === '.zip' ? null : named);
}

type Outcome = Pick<Row, 'status' | 'release' | 'code' | 'detail'>;

async function importFrom(ctx: Context, row: Row): Promise<Outcome> {
  const limit = AbortSignal.timeout(downloadSeconds * 1_000);
  try {
    const response = await download(ctx.config, row.url, limit);
    const kind = kindOf(row.url, response.headers['content-type']);
    const input = { courseId: row.course_id, zip: response, isCurrent: row.is_current };
    const { release } = await importPackage(ctx, { ...input, ...(kind && { kind }) });
    return { status: 'done', release: release.Release, code: null, detail: null };
  } catch (error) {
    if (error instanceof Problem)
      return { status: 'failed', release: null, code: error.code, detail: error.message };
    const why = limit.aborted ? `it took longer than ${downloadSeconds} s.` : (error as Error).message;
    const detail = `The file could not be downloaded: ${why}`.slice(0, 1_000);
    return { status: 'failed', release: null, code: 'package_unreadable', detail };
  }
}
