import type { Readable } from 'node:stream';

/** A file of a release in an object store. Releases that contain the same bytes share the object. */
export type StoredFile = { path: string; bytes: number; sha256: string; uploadId: string };

export type ListedFile = { path: string; bytes: number };

/** Where a file can be read now: on this machine's disk, or only in the store. */
export type FoundFile =
  | { kind: 'local'; folder: string; path: string; bytes: number }
  | { kind: 'remote'; bytes: number; etag: string; read: (range?: ByteRange) => Promise<Readable> };

/** Both ends are included, as in the Range header. */
export type ByteRange = { start: number; end: number };

/**
 * The files of releases, in the data folder or in an object store. They never change, and they exist before the
 * release's row does.
 */
export type PackageFiles = {
  /** Where the files are, for messages: a folder, or s3://BUCKET/PREFIX. */
  readonly place: string;
  /** A new path on the data folder's disk, for incomplete files and folders. */
  scratch(name: string): Promise<string>;
  discard(path: string): Promise<void>;
  /**
   * Makes the files of a complete scratch folder durable. Returns those in an object store, for the transaction that
   * stores the release's row.
   */
  keep(scratch: string, releaseId: string): Promise<StoredFile[]>;
  /** Objects of a store are removed later, once no release has them. */
  remove(releaseId: string): Promise<void>;
  /** Null if the files are missing. */
  list(releaseId: string): Promise<ListedFile[] | null>;
  /** The paths alone, which take less time; null if the files are missing. */
  paths(releaseId: string): Promise<string[] | null>;
  /** The file with exactly this path. */
  find(releaseId: string, path: string): Promise<FoundFile | null>;
  /** A file that `list` returned. */
  read(releaseId: string, path: string): Promise<Readable>;
  /** The release's folder in the data folder. With an object store, only releases that were imported without it have one. */
  folder(releaseId: string): string;
  /** Moves releases that were imported before there was a store from the data folder into the store. */
  moveIn(): Promise<void>;
  /** Removes objects that no release has had for two days. */
  sweep(now: Date): Promise<void>;
  /** Failed requests to the store, and the size of the local copies, since the process started. */
  figures(): { errors: number; cacheBytes: number } | null;
  /** Why this node must not serve; null if its files are those of the database. */
  problem(): Promise<string | null>;
};
