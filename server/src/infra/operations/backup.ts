import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { lockFolder } from '../../db/engine/folder.ts';
import { codeOf } from '../../lib/errors.ts';
import { syncPath, syncTree } from '../../lib/files.ts';
import { createDataFolder } from '../../lib/owner-only.ts';
import type { Config } from '../context/config.ts';
import type { WrittenKey } from '../keys/key-ring.ts';
import { readRingFile, ringFile, writeRingFile } from '../keys/ring-file.ts';
import { copyReleases, findPrevious, isComplete, type KnownRelease } from './copy-releases.ts';
import { readRing, type UsedRing } from './open-keys.ts';

/** The content of `backup.json`, which is written last. A folder without this file is not a complete backup. */
export type Backup = {
  Format: 1;
  Engine: 'pglite' | 'postgres';
  MadeAt: string;
  Releases: number;
  /** How many of them are hard links to the files in the previous backup. */
  Linked: number;
  /** How many more releases are in an object store, whose objects are not part of the backup. */
  ReleasesInStore: number;
  /** The releases whose files were missing or damaged when the backup was made, as "COURSE release NUMBER". */
  ReleasesWithoutFiles: string[];
  /** The location of the key ring; null if the service has not created one yet. */
  KeyRing: 'signing-keys.json' | 'SIGNING_KEYS' | null;
};

type Location = Pick<Config, 'databaseUrl' | 'dataDir' | 'signingKeys'>;

const names = { about: 'backup.json', dump: 'database.dump', database: 'database', packages: 'packages' };

async function isEmpty(folder: string): Promise<boolean> {
  return !existsSync(folder) || (await readdir(folder)).length === 0;
}

const notInstalled = (program: string) => (cause: unknown) => {
  throw new Error(
    `${program} cannot be run. Install the PostgreSQL client programs (apt-get install postgresql-client) in the server's version or newer.`,
    { cause },
  );
};

async function assertClient(program: string): Promise<void> {
  await promisify(execFile)(program, ['--version']).catch(notInstalled(program));
}

/** The password is passed in the environment, because every user of the machine can see arguments. */
async function runClient(program: string, databaseUrl: string, args: string[]): Promise<void> {
  const url = new URL(databaseUrl);
  const password = decodeURIComponent(url.password);
  url.password = '';
  const child = spawn(program, [`--dbname=${url.href}`, ...args], {
    env: { ...process.env, LC_ALL: 'C', ...(password ? { PGPASSWORD: password } : {}) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<number | null>((done, fail) => {
    child.on('error', fail);
    child.on('close', done);
  });
  const [code, stderr] = await Promise.all([ended, buffer(child.stderr)]).catch(notInstalled(program));
  if (code === 0) return;
  const text = stderr.toString().trim();
  throw Object.assign(new Error(`${program} failed and left nothing behind: ${text}`), {
    // Errors of the server have a line that begins with "ERROR:".
    code: /No space left on device/.test(text) && !/ERROR: /.test(text) ? 'ENOSPC' : undefined,
  });
}

/** What the database knows about the files that belong to it. */
export type KnownFiles = {
  ring: UsedRing | null;
  /** Those in the data folder. */
  releases: KnownRelease[];
  /** How many releases are in an object store. */
  inStore: number;
};

const labelOf = ({ courseId, number }: KnownRelease) => `${courseId} release ${number}`;

/** The releases without all of their files in this folder. */
async function findIncomplete(packages: string, releases: readonly KnownRelease[]): Promise<KnownRelease[]> {
  const incomplete: KnownRelease[] = [];
  for (const release of releases)
    if (!(await isComplete(join(packages, release.id), release))) incomplete.push(release);
  return incomplete;
}

function assertComplete(packages: string, incomplete: readonly KnownRelease[]): void {
  if (incomplete.length === 0) return;
  const shown = incomplete.slice(0, 3).map(labelOf).join(', ');
  const more = incomplete.length > 3 ? ` and ${incomplete.length - 3} more` : '';
  throw new Error(
    `${packages} does not contain all files of ${shown}${more}. Set DATA_DIR to the service's folder. If the files are lost, import the packages again, or use --allow-missing to back up without them.`,
  );
}

/** The releases that lack files in the data folder, as "COURSE release NUMBER". */
export async function incompleteReleases(
  { dataDir }: Pick<Config, 'dataDir'>,
  releases: readonly KnownRelease[],
): Promise<string[]> {
  return (await findIncomplete(join(dataDir, names.packages), releases)).map(labelOf);
}

type Draft = { folder: string; previous: string | null; known: KnownFiles };

function copyPackages({ dataDir }: Location, { folder, previous, known }: Draft): Promise<number> {
  return copyReleases(join(dataDir, names.packages), join(folder, names.packages), {
    previous: previous && join(previous, names.packages),
    releases: known.releases,
  });
}

async function copyDatabase(place: Location, draft: Draft): Promise<number> {
  const { dataDir } = place;
  const lock = lockFolder(dataDir);
  try {
    await cp(join(dataDir, names.database), join(draft.folder, names.database), { recursive: true });
    return await copyPackages(place, draft);
  } finally {
    lock.release();
  }
}

/** Copies releases before and after the dump, because releases may be imported or deleted in the meantime. */
async function dumpDatabase(place: Location, databaseUrl: string, draft: Draft): Promise<number> {
  const linked = await copyPackages(place, draft);
  await runClient('pg_dump', databaseUrl, ['--format=custom', `--file=${join(draft.folder, names.dump)}`]);
  return linked + (await copyPackages(place, draft));
}

/** Without the ring, links from the restored database would not work, and webhooks could not be signed. */
function copyRing({ signingKeys }: Location, keys: readonly WrittenKey[] | null, draft: string) {
  if (signingKeys) return 'SIGNING_KEYS';
  if (!keys) return null;
  writeRingFile(draft, [...keys]);
  return 'signing-keys.json';
}

/** The ring to restore with the database; null if it is in the environment or there is none. */
function ringOf(
  { KeyRing }: Backup,
  { signingKeys, dataDir }: Location,
  source: string,
): WrittenKey[] | null {
  if (signingKeys || !KeyRing) return null;
  if (KeyRing === 'SIGNING_KEYS')
    throw new Error('The backup was made with SIGNING_KEYS. Set it to the same keys.');
  const keys = readRingFile(source);
  if (!keys)
    throw new Error(`${ringFile(source)} is missing. Put the file back, or set SIGNING_KEYS to its keys.`);
  if (readRingFile(dataDir))
    throw new Error(
      `${dataDir} already contains a key ring, but a backup can only be restored into an empty folder. Set DATA_DIR to a new folder.`,
    );
  return keys;
}

export type BackupInput = {
  folder: string;
  now: Date;
  /** Backs up even if files of releases are missing. */
  allowsMissing: boolean;
  readKnown: () => Promise<KnownFiles>;
};

/**
 * Backs up the database, the course files and the key ring as of one point in time, into a new folder that gets its
 * final name when it is complete. Fails if the files are not those that the database knows.
 */
export async function backUp(place: Location, input: BackupInput): Promise<Backup> {
  const target = resolve(input.folder);
  if (!(await isEmpty(target)))
    throw new Error(`${target} is not empty. Choose a new folder for the backup.`);
  if (place.databaseUrl === null && !existsSync(join(place.dataDir, names.database)))
    throw new Error(`There is no database in ${place.dataDir}. Set DATA_DIR or DATABASE_URL.`);
  if (place.databaseUrl !== null) await assertClient('pg_dump');
  const known = await input.readKnown();
  const keys = readRing(place, known.ring);
  const packages = join(place.dataDir, names.packages);
  const incomplete = await findIncomplete(packages, known.releases);
  if (!input.allowsMissing) assertComplete(packages, incomplete);
  await mkdir(dirname(target), { recursive: true });
  const previous = await findPrevious(dirname(target), names.about);
  // The name is unpredictable, because other users may be able to write to the same folder.
  const folder = await mkdtemp(`${target}.partial-`);
  try {
    const draft = { folder, previous, known };
    const { databaseUrl } = place;
    const Linked = await (databaseUrl === null
      ? copyDatabase(place, draft)
      : dumpDatabase(place, databaseUrl, draft));
    await assertCopied(join(folder, names.packages), { known, incomplete, readKnown: input.readKnown });
    const backup: Backup = {
      Format: 1,
      Engine: databaseUrl === null ? 'pglite' : 'postgres',
      MadeAt: input.now.toISOString(),
      Releases: (await readdir(join(folder, names.packages))).length,
      Linked,
      ReleasesInStore: known.inStore,
      ReleasesWithoutFiles: incomplete.map(labelOf),
      KeyRing: copyRing(place, keys, folder),
    };
    await writeFile(join(folder, names.about), `${JSON.stringify(backup, null, 2)}\n`);
    syncTree(folder);
    await rm(target, { recursive: true, force: true });
    await rename(folder, target);
    syncPath(dirname(target));
    return backup;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw ofFullDisk(error, dirname(target), 'choose a folder on another disk');
  }
}

/** Whatever had been written is removed by now. */
const ofFullDisk = (error: unknown, folder: string, cure: string): unknown =>
  codeOf(error) === 'ENOSPC'
    ? new Error(`The disk of ${folder} is full, and nothing was kept. Free some space, or ${cure}.`, {
        cause: error,
      })
    : error;

type Copied = { known: KnownFiles; incomplete: readonly KnownRelease[]; readKnown: BackupInput['readKnown'] };

/** A course that was deleted during the backup is missing in the copy, which is right. */
async function assertCopied(packages: string, { known, incomplete, readKnown }: Copied): Promise<void> {
  const expected = known.releases.filter((release) => !incomplete.includes(release));
  const lost = await findIncomplete(packages, expected);
  if (lost.length === 0) return;
  const remaining = new Set((await readKnown()).releases.map(({ id }) => id));
  assertComplete(
    packages,
    lost.filter(({ id }) => remaining.has(id)),
  );
}

/** Reads what a complete backup says about itself. */
export async function readAbout(folder: string): Promise<Backup> {
  const text = await readFile(join(folder, names.about), 'utf8').catch((cause: unknown) => {
    throw new Error(`${folder} is not a backup: it has no ${names.about}.`, { cause });
  });
  const about: Backup = JSON.parse(text);
  if (about.Format !== 1)
    throw new Error(`The backup in ${folder} was made by a newer version. Restore it with that version.`);
  return about;
}

/**
 * Restores a backup into an empty folder and database. `isEmptyServer` says whether the server's database has no tables
 * yet.
 */
export async function restore(
  place: Location,
  folder: string,
  isEmptyServer: (url: string) => Promise<boolean>,
) {
  const source = resolve(folder);
  const about = await readAbout(source);
  const { databaseUrl, dataDir } = place;
  if ((about.Engine === 'postgres') !== (databaseUrl !== null))
    throw new Error(
      about.Engine === 'postgres'
        ? 'The backup is from a PostgreSQL server. Set DATABASE_URL to an empty database.'
        : 'The backup is from an embedded database. Restore it without DATABASE_URL.',
    );
  const packages = join(dataDir, names.packages);
  const database = join(dataDir, names.database);
  if (!(await isEmpty(packages)) || (databaseUrl === null && existsSync(database)))
    throw new Error(
      `${dataDir} is in use, but a backup can only be restored into an empty folder. Set DATA_DIR to a new folder.`,
    );
  if (databaseUrl !== null && !(await isEmptyServer(databaseUrl)))
    throw new Error(
      'The database contains tables, but a backup can only be restored into an empty database. Create a new one.',
    );
  const keys = ringOf(about, place, source);
  createDataFolder(dataDir);
  const lock = databaseUrl === null ? lockFolder(dataDir) : null;
  try {
    await putFolder(join(source, names.packages), packages);
    if (databaseUrl === null) await putFolder(join(source, names.database), database);
    else
      await runClient('pg_restore', databaseUrl, [
        ...['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges'],
        join(source, names.dump),
      ]);
    if (keys) writeRingFile(dataDir, keys);
  } catch (error) {
    for (const part of [packages, ...(databaseUrl === null ? [database] : [])])
      for (const path of [part, draftOf(part)]) await rm(path, { recursive: true, force: true });
    throw ofFullDisk(
      error,
      dataDir,
      'set DATA_DIR, or TMPDIR for a verification, to a folder on another disk',
    );
  } finally {
    lock?.release();
  }
  return about;
}

const draftOf = (path: string): string => join(dirname(path), `${basename(path)}.new`);

/** The folder gets its final name once it is complete. */
async function putFolder(from: string, to: string): Promise<void> {
  const draft = draftOf(to);
  await rm(draft, { recursive: true, force: true });
  await cp(from, draft, { recursive: true });
  syncTree(draft);
  await rmdir(to).catch(() => {});
  await rename(draft, to);
  syncPath(dirname(to));
}
