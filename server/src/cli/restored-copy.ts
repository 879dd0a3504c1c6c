import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Config } from '../infra/context/config.ts';
import { readRingFile } from '../infra/keys/ring-file.ts';
import { type Backup, readAbout, restore } from '../infra/operations/backup.ts';
import { temporaryDatabase } from './read-database.ts';

/**
 * Restores a backup into a temporary folder and, if it is from a PostgreSQL server, into a temporary database on the
 * server of DATABASE_URL. Both are removed after `work`.
 */
export async function onRestored<T>(
  config: Config,
  folder: string,
  work: (place: Config, about: Backup) => Promise<T>,
): Promise<T> {
  const source = resolve(folder);
  const about = await readAbout(source);
  const isOfServer = about.Engine === 'postgres';
  if (isOfServer && config.databaseUrl === null)
    throw new Error(
      'The backup is from a PostgreSQL server. Set DATABASE_URL to a server on which a temporary database can be created, such as a test server.',
    );
  const dataDir = await mkdtemp(join(tmpdir(), 'lectern-verify-'));
  const database =
    isOfServer && config.databaseUrl !== null ? await temporaryDatabase(config.databaseUrl) : null;
  try {
    const place = {
      ...config,
      databaseUrl: database?.url ?? null,
      dataDir,
      signingKeys: keysApart(config, source),
      operationsPort: null,
      tls: null,
      mail: null,
    };
    await restore(place, source, async () => true);
    return await work(place, about);
  } finally {
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The operator may store the key ring apart from the backup. */
function keysApart({ signingKeys, dataDir }: Config, source: string): Config['signingKeys'] {
  return signingKeys ?? (readRingFile(source) ? null : readRingFile(dataDir));
}
