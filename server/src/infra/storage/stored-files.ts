import { type Database, run } from '../../db/transaction.ts';
import type { StoredFile } from './package-files.ts';

type DatabaseContext = { readonly db: Database };

const filesPerStatement = 2_000;

const insertFiles = `insert into release_file (release_id, path, bytes, sha256, upload_id)
  select $1, path, bytes, sha256, upload_id
  from unnest($2::text[], $3::bigint[], $4::text[], $5::uuid[]) as file (path, bytes, sha256, upload_id)
  on conflict do nothing`;

/** For the transaction that stores the release's row: a release never exists without its files. */
export async function insertStoredFiles(
  ctx: DatabaseContext,
  { releaseId, files }: { releaseId: string; files: readonly StoredFile[] },
): Promise<void> {
  for (let at = 0; at < files.length; at += filesPerStatement) {
    const part = files.slice(at, at + filesPerStatement);
    const columns = [
      part.map(({ path }) => path),
      part.map(({ bytes }) => bytes),
      part.map(({ sha256 }) => sha256),
      part.map(({ uploadId }) => uploadId),
    ];
    await run(ctx, { name: 'insert_release_files', text: insertFiles, values: [releaseId, ...columns] });
  }
}

export async function readStoredFiles(ctx: DatabaseContext, releaseId: string): Promise<StoredFile[]> {
  return ctx.db
    .selectFrom('release_file')
    .select(['path', 'bytes', 'sha256', 'upload_id as uploadId'])
    .where('release_id', '=', releaseId)
    .execute();
}

const findUploads = `select distinct on (sha256) sha256, upload_id as "uploadId" from release_file
  where sha256 = any($1::text[]) order by sha256, upload_id`;

/** The objects that releases already have, by hash. */
export async function knownUploads(
  ctx: DatabaseContext,
  hashes: readonly string[],
): Promise<Map<string, string>> {
  const rows = await run<{ sha256: string; uploadId: string }>(ctx, {
    name: 'find_uploads',
    text: findUploads,
    values: [hashes],
  });
  return new Map(rows.map(({ sha256, uploadId }) => [sha256, uploadId]));
}

type Upload = Pick<StoredFile, 'sha256' | 'uploadId'>;

const findUnused = `select sha256, upload_id as "uploadId"
  from unnest($1::text[], $2::uuid[]) as upload (sha256, upload_id)
  where not exists (
    select from release_file
    where release_file.sha256 = upload.sha256 and release_file.upload_id = upload.upload_id
  )`;
const columnsOf = (uploads: readonly Upload[]) => [
  uploads.map(({ sha256 }) => sha256),
  uploads.map(({ uploadId }) => uploadId),
];

/** Those that no release has. */
export function unusedUploads(ctx: DatabaseContext, uploads: readonly Upload[]): Promise<Upload[]> {
  return run<Upload>(ctx, { name: 'find_unused_uploads', text: findUnused, values: columnsOf(uploads) });
}

const markOrphans = `insert into storage_orphan (sha256, upload_id, found_at)
  select sha256, upload_id, $3 from unnest($1::text[], $2::uuid[]) as upload (sha256, upload_id)
  on conflict do nothing`;

export async function markUnused(ctx: DatabaseContext, uploads: readonly Upload[], now: Date): Promise<void> {
  await run(ctx, { text: markOrphans, values: [...columnsOf(uploads), now] });
}

const takeOrphans = `delete from storage_orphan where found_at < $1 and (sha256, upload_id) in (
    select sha256, upload_id from storage_orphan where found_at < $1 limit 1000)
  returning sha256, upload_id as "uploadId"`;

/** Those that were marked before this time, up to 1,000. */
export function takeMarked(ctx: DatabaseContext, before: Date): Promise<Upload[]> {
  return run<Upload>(ctx, { text: takeOrphans, values: [before] });
}
