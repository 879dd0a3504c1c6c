import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../db/transaction.ts';
import type { Log } from '../../lib/log.ts';
import { openFileCache } from './file-cache.ts';
import { openFolderFiles } from './folder-files.ts';
import { openObjectStore, type StorageSettings } from './object-store.ts';
import type { PackageFiles } from './package-files.ts';
import { openStoreFiles } from './store-files.ts';

export type StorageContext = {
  readonly config: { readonly dataDir: string; readonly storage: StorageSettings | null };
  readonly db: Database;
  readonly log: Pick<Log, 'error'>;
};

/** Opens the place of course files: the data folder or, with STORAGE_URL, an object store. */
export async function openStorage(ctx: StorageContext): Promise<PackageFiles> {
  const { dataDir, storage } = ctx.config;
  const local = await openFolderFiles(dataDir, () => folderProblem(ctx));
  if (storage === null) return local;
  const store = openObjectStore(storage);
  const cache = await openFileCache(join(dataDir, 'cache'), storage.cacheBytes);
  return openStoreFiles(ctx, { store, cache, local });
}

/** The newest releases show whether this is the folder that the database was used with. */
async function folderProblem({ config, db }: StorageContext): Promise<string | null> {
  const newest = await db
    .selectFrom('release')
    .select('release_id')
    .where('files', '>', 0)
    .orderBy('created_at', 'desc')
    .limit(3)
    .execute();
  const folder = join(config.dataDir, 'packages');
  if (newest.length === 0 || newest.some(({ release_id }) => existsSync(join(folder, release_id))))
    return null;
  return `DATA_DIR: ${folder} does not contain the course files of this database. Mount the folder that all nodes share, or set STORAGE_URL.`;
}
