import type { Database } from '../../db/transaction.ts';
import { codeOf, Problem } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { FileCache } from './file-cache.ts';
import { type ObjectStore, StorageError } from './object-store.ts';
import type { FoundFile, ListedFile, PackageFiles, StoredFile } from './package-files.ts';
import { storageProblem } from './storage-owner.ts';
import { keyOf, moveIn, readStoredFiles, sweep, upload } from './stored-files.ts';

/** A larger file is read from the store in the parts that the browser asks for, and is never in the cache. */
const largeBytes = 32 * 1024 ** 2;
/** Files of releases in memory, all releases together. */
const maxKnownFiles = 200_000;

type StoreContext = { readonly db: Database; readonly log: Pick<Log, 'error'> };

export type StoreOptions = {
  store: ObjectStore;
  cache: FileCache;
  /** Scratch folders, and releases that were imported before there was a store. */
  local: PackageFiles;
};

type Index = Promise<Map<string, StoredFile>>;

export function openStoreFiles(ctx: StoreContext, { store, cache, local }: StoreOptions): PackageFiles {
  const known = new Map<string, Index>();
  const sizes = new Map<string, number>();

  const indexOf = (releaseId: string): Index => {
    const index =
      known.get(releaseId) ??
      readStoredFiles(ctx, releaseId).then((files) => {
        // A release without files may be moved to the store later.
        if (files.length === 0) known.delete(releaseId);
        else sizes.set(releaseId, files.length);
        forgetOldest();
        return new Map(files.map((file) => [file.path, file]));
      });
    known.delete(releaseId);
    known.set(releaseId, index);
    index.catch(() => known.delete(releaseId));
    return index;
  };
  const forgetOldest = () => {
    let total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    for (const releaseId of known.keys()) {
      if (total <= maxKnownFiles || known.size === 1) return;
      total -= sizes.get(releaseId) ?? 0;
      sizes.delete(releaseId);
      known.delete(releaseId);
    }
  };
  const forReaders = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw toProblem(ctx, error);
    });

  const remote = (file: StoredFile): FoundFile => ({
    kind: 'remote',
    bytes: file.bytes,
    etag: `"${file.sha256.slice(0, 32)}"`,
    read: async (range) => {
      const body = await forReaders(store.read(keyOf(file), range));
      if (!body) throw missing(ctx, file, store);
      return body;
    },
  });
  const findStored = async (file: StoredFile): Promise<FoundFile | null> => {
    if (file.bytes > largeBytes) return remote(file);
    const fetch = (to: string) => store.download(keyOf(file), to, file);
    try {
      const path = await forReaders(cache.get(file.sha256, file.bytes, fetch));
      if (path === null) throw missing(ctx, file, store);
      return { kind: 'local', folder: cache.folder, path, bytes: file.bytes };
    } catch (error) {
      if (codeOf(error) !== 'ENOSPC') throw error;
      ctx.log.error(
        { err: error, folder: cache.folder },
        'DATA_DIR: its disk is full, so course files are read from the store for each request. Free some space, or lower STORAGE_CACHE.',
      );
      return remote(file);
    }
  };

  return {
    place: store.place,
    scratch: local.scratch,
    discard: local.discard,
    folder: local.folder,
    keep: (scratch, releaseId) => forReaders(upload(ctx, { store, scratch, uploadId: releaseId })),
    remove: async (releaseId) => {
      known.delete(releaseId);
      sizes.delete(releaseId);
      await local.remove(releaseId);
    },
    list: async (releaseId) => {
      const index = await indexOf(releaseId);
      if (index.size === 0) return local.list(releaseId);
      return [...index.values()].map(({ path, bytes }): ListedFile => ({ path, bytes }));
    },
    paths: async (releaseId) => {
      const index = await indexOf(releaseId);
      return index.size === 0 ? local.paths(releaseId) : [...index.keys()];
    },
    find: async (releaseId, path) => {
      const index = await indexOf(releaseId);
      if (index.size === 0) return local.find(releaseId, path);
      const file = index.get(path);
      return file ? findStored(file) : null;
    },
    read: async (releaseId, path) => {
      const file = (await indexOf(releaseId)).get(path);
      if (!file) return local.read(releaseId, path);
      const body = await forReaders(store.read(keyOf(file)));
      if (!body) throw missing(ctx, file, store);
      return body;
    },
    moveIn: async () => {
      for (const releaseId of await moveIn(ctx, { store, local })) known.delete(releaseId);
    },
    sweep: (now) => sweep(ctx, store, now),
    figures: () => ({ errors: store.errors(), cacheBytes: cache.bytes() }),
    problem: () => storageProblem(ctx, store),
  };
}

/** Callers learn that they may retry; the operator learns why. */
function toProblem(ctx: StoreContext, error: unknown): unknown {
  if (!(error instanceof StorageError)) return error;
  ctx.log.error({ err: error }, error.message);
  const problem = new Problem('unavailable', 'The storage of course files does not respond. Try again.', {
    retryAfter: 5,
  });
  return Object.assign(problem, { cause: error });
}

function missing(ctx: StoreContext, file: StoredFile, { place }: ObjectStore): Problem {
  ctx.log.error(
    { key: keyOf(file), place, file: file.path },
    'an object of a release is missing; restore it from a copy of the bucket, or import the package again',
  );
  return new Problem(
    'unavailable',
    'The files of this course are currently not available. Try again later.',
    { retryAfter: 60 },
  );
}
