import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { lockFolder } from '../../db/engine/folder-lock.ts';
import { syncPath, syncTree } from '../../lib/files.ts';
import type { Config } from '../context/config.ts';
import type { WrittenKey } from '../keys/key-ring.ts';
import { readRingFile, ringFile, writeRingFile } from '../keys/ring-file.ts';

/**
 * The content of `backup.json`, which is written last. A folder without this file is not a complete
 * backup.
 */
export type Backup = {
  Format: 1;
  Engine: 'pglite' | 'postgres';
  MadeAt: string;
  Releases: number;
  /** The location of the key ring; null if the service has not created one yet. */
  KeyRing: 'signing-keys.json' | 'SIGNING_KEYS' | null;
};

type Location = Pick<Config, 'databaseUrl' | 'dataDir' | 'signingKeys'>;

const names = { about: 'backup.json', dump: 'database.dump', database: 'database', packages: 'packages' };

async function isEmpty(folder: string): Promise<boolean> {
  return !existsSync(folder) || (await readdir(folder)).length === 0;
}

/** The password is passed in the environment, because every user of the machine can see arguments. */
async function runClient(program: string, databaseUrl: string, args: string[]): Promise<void> {
  const url = new URL(databaseUrl);
  const password = decodeURIComponent(url.password);
  url.password = '';
  const child = spawn(program, [`--dbname=${url.href}`, ...args], {
    env: { ...process.env, ...(password ? { PGPASSWORD: password } : {}) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<number | null>((done, fail) => {
    child.on('error', fail);
    child.on('close', done);
  });
  const [code, stderr] = await Promise.all([ended, buffer(child.stderr)]).catch((cause: unknown) => {
    throw new Error(
      `${program} cannot be run. Install the PostgreSQL client programs (apt-get install postgresql-client) in the server's version or newer.`,
      { cause },
    );
  });
  if (code !== 0) throw new Error(`${program} failed and left nothing behind: ${stderr.toString().trim()}`);
}

async function copyPackages(dataDir: string, draft: string): Promise<void> {
  const from = join(dataDir, names.packages);
  if (existsSync(from)) await cp(from, join(draft, names.packages), { recursive: true, force: false });
  else await mkdir(join(draft, names.packages), { recursive: true });
}

async function copyDatabase({ dataDir }: Location, draft: string): Promise<void> {
  const from = join(dataDir, names.database);
  if (!existsSync(from)) throw new Error(`There is no database in ${dataDir}. Set DATA_DIR or DATABASE_URL.`);
  const lock = lockFolder(dataDir);
  try {
    await cp(from, join(draft, names.database), { recursive: true });
    await copyPackages(dataDir, draft);
  } finally {
    lock.release();
  }
}

/**
 * Copies releases before and after the dump, because releases may be imported or deleted in the
 * meantime.
 */
async function dumpDatabase({ dataDir }: Location, databaseUrl: string, draft: string): Promise<void> {
  await copyPackages(dataDir, draft);
  await runClient('pg_dump', databaseUrl, ['--format=custom', `--file=${join(draft, names.dump)}`]);
  await copyPackages(dataDir, draft);
}

/**
 * Without the ring, links from the restored database would not work, and webhooks could not be
 * signed.
 */
function copyRing({ signingKeys, dataDir }: Location, draft: string): Backup['KeyRing'] {
  if (signingKeys) return 'SIGNING_KEYS';
  const keys = readRingFile(dataDir);
  if (!keys) return null;
  writeRingFile(draft, keys);
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

/**
 * Backs up the database and course files as of one point in time, into a new folder that gets its final name when it is
 * complete.
 */
export async function backUp(place: Location, folder: string, now: Date): Promise<Backup> {
  const target = resolve(folder);
  if (!(await isEmpty(target)))
    throw new Error(`${target} is not empty. Choose a new folder for the backup.`);
  await mkdir(dirname(target), { recursive: true });
  // The name is unpredictable, because other users may be able to write to the same folder.
  const draft = await mkdtemp(`${target}.partial-`);
  try {
    if (place.databaseUrl === null) await copyDatabase(place, draft);
    else await dumpDatabase(place, place.databaseUrl, draft);
    const KeyRing = copyRing(place, draft);
    const backup: Backup = {
      Format: 1,
      Engine: place.databaseUrl === null ? 'pglite' : 'postgres',
      MadeAt: now.toISOString(),
      Releases: (await readdir(join(draft, names.packages))).length,
      KeyRing,
    };
    await writeFile(join(draft, names.about), `${JSON.stringify(backup, null, 2)}\n`);
    syncTree(draft);
    await rm(target, { recursive: true, force: true });
    await rename(draft, target);
    syncPath(dirname(target));
    return backup;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

async function readAbout(folder: string): Promise<Backup> {
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
  await mkdir(dataDir, { recursive: true });
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
    await rm(packages, { recursive: true, force: true });
    throw error;
  } finally {
    lock?.release();
  }
  return about;
}

/** The folder gets its final name once it is complete. */
async function putFolder(from: string, to: string): Promise<void> {
  const draft = join(dirname(to), `${basename(to)}.new`);
  await rm(draft, { recursive: true, force: true });
  await cp(from, draft, { recursive: true });
  syncTree(draft);
  await rmdir(to).catch(() => {});
  await rename(draft, to);
  syncPath(dirname(to));
}
