import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Engine } from '../../src/db/engine/engine.ts';
import { openPglite, type PgliteEngine } from '../../src/db/engine/pglite.ts';
import { openPostgres } from '../../src/db/engine/postgres.ts';
import { guardTenants } from '../../src/db/guard/tenant-guard.ts';
import { migrate, readFunctions, readMigrations } from '../../src/db/migrate.ts';
import { type Database, kyselyForEngine } from '../../src/db/transaction.ts';
import { locations } from '../../src/lib/locations.ts';
import { recordStatements } from './recorded-statements.ts';
import { reusedDatabase } from './reused-databases.ts';
import { emptyServerDatabase, nodesOf, type ServerDatabase, templateOnServer } from './server-database.ts';

const cacheFolder = path.join(import.meta.dirname, '../../../node_modules/.cache');

/** A migrated database for one test: in memory, or on the server that TEST_DATABASE_URL names. */
export async function openTestDatabase(): Promise<{ engine: Engine; db: Database }> {
  const engine = guardTenants(await recorded(openCopy()));
  return { engine, db: kyselyForEngine(engine) };
}

/** Records every statement that the guard allows, for the check at the end of `scripts/test.ts`. */
async function recorded(opening: Promise<Engine>): Promise<Engine> {
  const folder = process.env.TEST_STATEMENTS;
  return folder ? recordStatements(await opening, folder) : opening;
}

/** For tests of the database layer itself, which create their own tables. */
export async function openEmptyTestDatabase(): Promise<Engine> {
  const url = process.env.TEST_DATABASE_URL;
  return url ? openOnServer(await emptyServerDatabase(url)) : openInMemory(await images.empty());
}

async function openCopy(): Promise<Engine> {
  const url = process.env.TEST_DATABASE_URL;
  if (url && (await nodesOf(url)).length > 0) return reusedDatabase(() => openOnCluster(url));
  if (url) return openOnServer(await emptyServerDatabase(url, await template()));
  return reusedDatabase(async () => openInMemory(await images.migrated()));
}

function openInMemory(image?: Uint8Array): Promise<PgliteEngine> {
  return openPglite({ folder: null, ...(image ? { image } : {}) });
}

async function openOnServer({ url, drop }: ServerDatabase): Promise<Engine> {
  const engine = await openPostgres({ url });
  return { ...engine, close: () => engine.close().finally(drop) };
}

/** Databases of a Citus cluster cannot be copied, so each one is migrated from scratch, and then reused. */
async function openOnCluster(url: string): Promise<Engine> {
  const database = await emptyServerDatabase(url);
  const engine = await openPostgres({ url: database.url });
  await migrate(engine, locations.migrations).finally(() => engine.close());
  // Opened again, because distributing a database changes settings for new connections.
  return openOnServer(database);
}

const template = once(() => migratedTemplate(process.env.TEST_DATABASE_URL ?? ''));

/** The name of a migrated database on the server, from which test databases are copied. */
export async function migratedTemplate(serverUrl: string): Promise<string> {
  return templateOnServer(serverUrl, `lectern_template_${await fingerprint()}`, async (url) => {
    const engine = await openPostgres({ url });
    await migrate(engine, locations.migrations).finally(() => engine.close());
  });
}

/**
 * Databases are copied, because creating one takes seconds. The template is created once per version and read once per
 * process.
 */
const images = {
  empty: once(() => image('empty', openInMemory)),
  migrated: once(() => image('migrated', openMigrated)),
};

/** Makes the images that are missing. Otherwise the processes of a first run each make them. */
export async function prepareImages(): Promise<void> {
  await images.migrated();
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

async function openMigrated(): Promise<PgliteEngine> {
  const engine = await openInMemory(await images.empty());
  await migrate(engine, locations.migrations);
  return engine;
}

async function image(name: string, open: () => Promise<PgliteEngine>): Promise<Uint8Array> {
  const file = path.join(cacheFolder, `lectern-test-${name}-${await fingerprint()}.tar`);
  if (existsSync(file)) return readFile(file);
  const engine = await open();
  try {
    await engine.script('checkpoint');
    const image = await engine.dump();
    await mkdir(cacheFolder, { recursive: true });
    const draft = `${file}.${process.pid}`;
    await writeFile(draft, image, { mode: 0o600 });
    await rename(draft, file).catch(() => rm(draft));
    return image;
  } finally {
    await engine.close();
  }
}

async function fingerprint(): Promise<string> {
  const library = await readFile(
    new URL('../package.json', import.meta.resolve('@electric-sql/pglite')),
    'utf8',
  );
  const hash = createHash('sha256').update(library);
  for (const { name, checksum } of await readMigrations(locations.migrations))
    hash.update(`${name} ${checksum}`);
  for (const { sql } of await readFunctions(locations.migrations)) hash.update(sql);
  return hash.digest('hex').slice(0, 16);
}
