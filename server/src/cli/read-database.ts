import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { lockFolder } from '../db/engine/folder.ts';
import { hasTables, isMigrated } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import type { Config } from '../infra/context/config.ts';
import type { KnownFiles } from '../infra/operations/backup.ts';
import { type Clock, readClock } from '../infra/operations/clock.ts';
import { readUsedRing } from '../infra/operations/open-keys.ts';
import { openObjectStore } from '../infra/storage/object-store.ts';
import { storageProblem } from '../infra/storage/storage-owner.ts';
import { codeOf } from '../lib/errors.ts';
import { locations } from '../lib/locations.ts';
import { openLog } from '../lib/log.ts';

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export function findsRow(url: string, text: string): Promise<boolean> {
  return withClient(url, async (client) => (await client.query(text)).rows.length > 0);
}

/** Creates an empty database on the server of `url`. */
export async function temporaryDatabase(url: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `lectern_verify_${randomBytes(6).toString('hex')}`;
  const send = (text: string) => withClient(url, (client) => client.query(text));
  await send(`create database ${name}`).catch((cause: unknown) => {
    if (codeOf(cause) !== '42501') throw cause;
    throw new Error(
      'The role in DATABASE_URL may not create databases, and the backup is restored into a temporary one. Use another server or role, or run as a superuser: alter role … createdb.',
      { cause },
    );
  });
  const own = new URL(url);
  own.pathname = `/${name}`;
  return { url: own.href, drop: async () => void (await send(`drop database ${name} with (force)`)) };
}

type Opened = Awaited<ReturnType<typeof openDatabase>>;

/** Opens the database as it is: does not migrate it, and creates no key ring. */
async function withUnchanged<T>(config: Config, work: (opened: Opened) => Promise<T>): Promise<T> {
  const opened = await openDatabase({
    databaseUrl: config.databaseUrl ?? undefined,
    statementNames: config.statementNames,
    connections: config.databaseConnections,
    dataDir: config.dataDir,
    log: openLog('error'),
  });
  try {
    return await work(opened);
  } finally {
    await opened.engine.close();
  }
}

async function knownFiles({ db }: Opened): Promise<KnownFiles> {
  const releases = await db
    .selectFrom('release')
    .select(['release_id as id', 'course_id as courseId', 'number', 'files', 'bytes'])
    .where('files', '>', 0)
    .orderBy('release_id')
    .execute();
  const stored = await db.selectFrom('release_file').select('release_id').distinct().execute();
  const inStore = new Set(stored.map(({ release_id }) => release_id));
  const inFolder = releases.filter(({ id }) => !inStore.has(id));
  return { ring: await readUsedRing({ db }), releases: inFolder, inStore: inStore.size };
}

/** What the database knows about the service's files, for a backup. */
export function readKnownFiles(config: Config): Promise<KnownFiles> {
  return withUnchanged(config, async (opened) => {
    if (!(await hasTables(opened.engine)))
      throw new Error(
        "The database has no tables of Lectern, so there is nothing to back up. Set DATABASE_URL to the service's database.",
      );
    return knownFiles(opened);
  });
}

type Checked = {
  outcome: ['ok' | 'warning' | 'failed', string];
  known: KnownFiles | null;
  /** Null if the database cannot be read. */
  clock: Clock | null;
  /** Why the object store is not this database's; null if it is, or if that is unknown. */
  storeProblem: string | null;
};

/** The state of the configured database, for `lectern check`. */
export async function readDatabase(config: Config): Promise<Checked> {
  const nothing = { known: null, clock: null, storeProblem: null };
  if (config.databaseUrl === null) {
    if (!existsSync(join(config.dataDir, 'database')))
      return { ...nothing, outcome: ['warning', `There is no database in ${config.dataDir} yet.`] };
    const holder = holderOf(config.dataDir);
    if (holder !== null) return { ...nothing, outcome: ['ok', `The service is running: ${holder}`] };
  }
  return withUnchanged(config, async (opened) => {
    const { engine } = opened;
    const hasJobs = await hasTables(engine);
    const clock = await readClock(engine, hasJobs);
    if (!hasJobs) return { ...nothing, clock, outcome: ['warning', 'The database is empty.'] };
    const isCurrent = await isMigrated(engine, locations.migrations);
    const outcome: Checked['outcome'] = isCurrent
      ? ['ok', 'The database responds and has the tables of this version.']
      : ['warning', 'The database has not been migrated to this version; the next start does it.'];
    if (!isCurrent) return { ...nothing, clock, outcome };
    const store = config.storage && openObjectStore(config.storage);
    const storeProblem = store && (await storageProblem(opened, store, { claims: false }));
    return { known: await knownFiles(opened), clock, storeProblem, outcome };
  });
}

/** Why the folder cannot be locked; null if it can. */
function holderOf(dataDir: string): string | null {
  try {
    lockFolder(dataDir).release();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
