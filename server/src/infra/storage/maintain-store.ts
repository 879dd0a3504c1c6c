import { type Database, run, transaction } from '../../db/transaction.ts';
import { keyOf, objectsBelow, parseKey } from './object-key.ts';
import type { ObjectStore } from './object-store.ts';
import type { PackageFiles } from './package-files.ts';
import { storageProblem } from './storage-owner.ts';
import { insertStoredFiles, markUnused, takeMarked, unusedUploads } from './stored-files.ts';
import { upload } from './upload.ts';

type DatabaseContext = { readonly db: Database };

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
  const rows = await run<{ id: string }>(ctx, { text: findInFolder, values: [] });
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
