import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Database, run, transaction } from '../../db/transaction.ts';
import { listFolder } from './folder-files.ts';
import { type ObjectStore, StorageError } from './object-store.ts';
import type { PackageFiles, StoredFile } from './package-files.ts';
import { storageProblem } from './storage-owner.ts';

const objectsBelow = 'blobs/';

/** Each upload has a key of its own, so that an upload never meets the removal of an older one. */
export const keyOf = ({ sha256, uploadId }: Pick<StoredFile, 'sha256' | 'uploadId'>): string =>
  `${objectsBelow}${sha256}.${uploadId}`;

function parseKey(key: string): Pick<StoredFile, 'sha256' | 'uploadId'> | null {
  const [, sha256, uploadId] = /^blobs\/([0-9a-f]{64})\.([0-9a-f-]{36})$/.exec(key) ?? [];
  return sha256 && uploadId ? { sha256, uploadId } : null;
}

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
    await run(ctx, insertFiles, [releaseId, ...columns]);
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
async function knownUploads(ctx: DatabaseContext, hashes: readonly string[]): Promise<Map<string, string>> {
  const rows = await run<{ sha256: string; uploadId: string }>(ctx, findUploads, [hashes]);
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
function unusedUploads(ctx: DatabaseContext, uploads: readonly Upload[]): Promise<Upload[]> {
  return run<Upload>(ctx, findUnused, columnsOf(uploads));
}

const markOrphans = `insert into storage_orphan (sha256, upload_id, found_at)
  select sha256, upload_id, $3 from unnest($1::text[], $2::uuid[]) as upload (sha256, upload_id)
  on conflict do nothing`;

async function markUnused(ctx: DatabaseContext, uploads: readonly Upload[], now: Date): Promise<void> {
  await run(ctx, markOrphans, [...columnsOf(uploads), now]);
}

const takeOrphans = `delete from storage_orphan where found_at < $1 and (sha256, upload_id) in (
    select sha256, upload_id from storage_orphan where found_at < $1 limit 1000)
  returning sha256, upload_id as "uploadId"`;

/** Those that were marked before this time, up to 1,000. */
function takeMarked(ctx: DatabaseContext, before: Date): Promise<Upload[]> {
  return run<Upload>(ctx, takeOrphans, [before]);
}

/** A store answers in 10 to 50 ms, so a package of 10,000 files needs many requests at a time. */
const concurrentUploads = 32;

type Work = { store: ObjectStore; scratch: string; uploadId: string };

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Uploads the files that no release has yet. They are in the store when this returns. */
export async function upload(
  ctx: DatabaseContext,
  { store, scratch, uploadId }: Work,
): Promise<StoredFile[]> {
  const refused = await storageProblem(ctx, store);
  if (refused !== null) throw new StorageError(refused);
  const listed = (await listFolder(scratch)) ?? [];
  const files: StoredFile[] = [];
  for (const { path, bytes } of listed)
    files.push({ path, bytes, sha256: await hashOf(join(scratch, path)), uploadId });
  const uploads = await knownUploads(ctx, [...new Set(files.map(({ sha256 }) => sha256))]);
  const fresh = new Map(files.map((file) => [file.sha256, file]));
  for (const sha256 of uploads.keys()) fresh.delete(sha256);
  const waiting = [...fresh.values()];
  const work = async () => {
    for (let file = waiting.pop(); file; file = waiting.pop())
      await store.putFile(keyOf(file), join(scratch, file.path), file.sha256);
  };
  const results = await Promise.allSettled(Array.from({ length: concurrentUploads }, work));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return files.map((file) => ({ ...file, uploadId: uploads.get(file.sha256) ?? uploadId }));
}

/** An import in progress uploads its objects before a release has them, and may reuse those of a deleted one. */
const graceMilliseconds = 2 * 86_400_000;

const findInFolder = `select release_id as id from release
  where not exists (select from release_file where release_file.release_id = release.release_id)
  order by release_id`;

/** Moves the releases whose folders this node has. Returns their IDs. */
export async function moveIn(
  ctx: DatabaseContext,
  { store, local }: { store: ObjectStore; local: PackageFiles },
): Promise<string[]> {
  const moved: string[] = [];
  const rows = await run<{ id: string }>(ctx, findInFolder);
  for (const { id } of rows) {
    if (!(await local.paths(id))) continue;
    const files = await upload(ctx, { store, scratch: local.folder(id), uploadId: id });
    await transaction(ctx, (ctx) => insertStoredFiles(ctx, { releaseId: id, files }));
    await local.remove(id);
    moved.push(id);
  }
  return moved;
}

/** Marks objects that no release has, and removes those that were marked long enough ago. */
export async function sweep(ctx: DatabaseContext, store: ObjectStore, now: Date): Promise<void> {
  if ((await storageProblem(ctx, store)) !== null) return;
  const before = new Date(now.getTime() - graceMilliseconds);
  for (let marked = await takeMarked(ctx, before); marked.length > 0; marked = await takeMarked(ctx, before))
    for (const unused of await unusedUploads(ctx, marked)) await store.remove(keyOf(unused));
  for await (const page of store.list(objectsBelow)) {
    const uploads = page.flatMap(({ key }) => parseKey(key) ?? []);
    const unused = await unusedUploads(ctx, uploads);
    if (unused.length > 0) await markUnused(ctx, unused, now);
  }
}
