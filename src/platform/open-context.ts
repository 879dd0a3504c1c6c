import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { type Context, serviceActor } from './context.ts';
import type { Database } from './db/dialect.ts';
import { migrate } from './db/migrate.ts';
import { openDatabase } from './db/open.ts';
import { openFiles } from './files.ts';
import type { Log } from './log.ts';

const migrations = join(import.meta.dirname, '../../migrations');

/** Made once for a database; every node reads the same one. */
export async function readSigningKey(db: Database): Promise<Buffer> {
  const name = 'signing_key';
  await db
    .insertInto('setting')
    .values({ name, value: randomBytes(32).toString('base64url') })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { value } = await db
    .selectFrom('setting')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return Buffer.from(value, 'base64url');
}

/** Opens and migrates the database and the files: all that verbs need. */
export async function openContext(config: Config, log: Log): Promise<Context> {
  const { engine, db } = await openDatabase({
    databaseUrl: config.databaseUrl ?? undefined,
    statementNames: config.statementNames,
    dataDir: config.dataDir,
    log,
  });
  try {
    const { applied } = await migrate(engine, migrations);
    if (applied.length > 0) log.info({ applied }, 'migrated the database');
    const files = await openFiles(config.dataDir);
    return {
      config,
      engine,
      db,
      log,
      files,
      signingKey: await readSigningKey(db),
      now: () => new Date(),
      actor: serviceActor,
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}
