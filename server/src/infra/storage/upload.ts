import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Database } from '../../db/transaction.ts';
import { listFolder } from './folder-files.ts';
import { keyOf } from './object-key.ts';
import { type ObjectStore, StorageError } from './object-store.ts';
import type { StoredFile } from './package-files.ts';
import { storageProblem } from './storage-owner.ts';
import { knownUploads } from './stored-files.ts';

/** A store answers in 10 to 50 ms, so a package of 10,000 files needs many requests at a time. */
const concurrentUploads = 32;

type Upload = { store: ObjectStore; scratch: string; uploadId: string };

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Uploads the files that no release has yet. They are in the store when this returns. */
export async function upload(
  ctx: { readonly db: Database },
  { store, scratch, uploadId }: Upload,
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
