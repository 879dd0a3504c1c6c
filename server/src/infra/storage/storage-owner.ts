import { randomUUID } from 'node:crypto';
import { keepSetting, readSetting } from '../../db/setting.ts';
import type { Database } from '../../db/transaction.ts';
import { type ObjectStore, StorageError } from './object-store.ts';

type DatabaseContext = { readonly db: Database };

/** In the store, the name of the database that it belongs to. Two databases would remove each other's objects. */
const ownerKey = 'lectern-database';
const settingName = 'storage_owner';
/** Instead of a name, until the operator claims a store for a restored database. */
const restored = 'restored';

/** Marks an unused prefix as this database's. Nodes that start together agree on the name, which is in the database first. */
async function claimUnused(ctx: DatabaseContext, store: ObjectStore): Promise<boolean> {
  await keepSetting(ctx, settingName, randomUUID(), false);
  const owner = await readSetting(ctx, settingName);
  if (owner === undefined || owner === restored) return false;
  await store.putText(ownerKey, owner);
  return true;
}

async function hasStoredFiles({ db }: DatabaseContext): Promise<boolean> {
  const row = await db.selectFrom('release_file').select('release_id').limit(1).executeTakeFirst();
  return row !== undefined;
}

/**
 * Why this node must not serve from this store, with the cure; null if the store is the database's. `claims` marks an
 * unused one.
 */
export async function storageProblem(
  ctx: DatabaseContext,
  store: ObjectStore,
  { claims = true } = {},
): Promise<string | null> {
  try {
    const [owner, marked] = [await readSetting(ctx, settingName), await store.getText(ownerKey)];
    const isUnused = marked === null && owner !== restored && !(await hasStoredFiles(ctx));
    if (isUnused && (!claims || (await claimUnused(ctx, store)))) return null;
    if (marked === null)
      return `STORAGE_URL: ${store.place} does not contain the files of this database. Correct the bucket or the prefix.`;
    if (marked !== owner)
      return `STORAGE_URL: ${store.place} belongs to another database, or to the one from which this one was restored. Use another prefix or, if that database is gone, run: lectern storage claim`;
    return null;
  } catch (error) {
    if (error instanceof StorageError) return error.message;
    throw error;
  }
}

/** Makes the store this database's. Nodes on the previous database then stop serving. */
export async function claimStore(ctx: DatabaseContext, store: ObjectStore): Promise<void> {
  const owner = randomUUID();
  await keepSetting(ctx, settingName, owner);
  await store.putText(ownerKey, owner);
}

/** A restored database must not write to the store of the original, which may still be in use. */
export async function disownStore({ db }: DatabaseContext): Promise<void> {
  await db.updateTable('setting').set({ value: restored }).where('name', '=', settingName).execute();
}
