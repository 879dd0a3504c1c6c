import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hasTables, isMigrated, migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import type { Config } from '../infra/context/config.ts';
import { type Context, openClocks, openState, serviceActor } from '../infra/context/context.ts';
import { openCounters } from '../infra/context/counters.ts';
import { openImports, openLoad } from '../infra/context/load.ts';
import type { Tracing } from '../infra/context/tracing.ts';
import { clockProblem, readClock } from '../infra/operations/clock.ts';
import { openKeys } from '../infra/operations/open-keys.ts';
import { searchWarnings } from '../infra/operations/start-warnings.ts';
import { openStorage } from '../infra/storage/open-storage.ts';
import { runIsolated } from '../lib/isolated.ts';
import { locations } from '../lib/locations.ts';
import type { Log } from '../lib/log.ts';
import { restrictDataFolder } from '../lib/owner-only.ts';
import { openHomePage } from './home-page.ts';

async function loadTracing(url: string): Promise<Tracing> {
  const { openTracing } = await import('../infra/context/tracing.ts');
  return openTracing(url);
}

/**
 * Opens everything that service functions need, including the database and the files. Migrates an
 * older database or, if `migrates` is false, rejects it. Creates a missing database or, if `creates` is false,
 * rejects that.
 */
export async function openContext(
  config: Config,
  log: Log,
  {
    migrates = true,
    creates = true,
    isService = true,
  }: { migrates?: boolean; creates?: boolean; isService?: boolean } = {},
): Promise<Context> {
  if (!creates && !existsSync(config.dataDir))
    throw new Error(`The folder ${config.dataDir} does not exist. Set DATA_DIR to the service's folder.`);
  if (!creates && config.databaseUrl === null && !existsSync(join(config.dataDir, 'database')))
    throw new Error(
      `There is no database in ${config.dataDir}. Set DATA_DIR to the service's folder or DATABASE_URL to its server. A new database is created by lectern serve or lectern migrate.`,
    );
  restrictDataFolder(config.dataDir, log);
  const tracing = config.tracesUrl === null ? null : await loadTracing(config.tracesUrl);
  const { engine, db } = await openDatabase({
    databaseUrl: config.databaseUrl ?? undefined,
    statementNames: config.statementNames,
    connections: config.databaseConnections,
    dataDir: config.dataDir,
    log,
    ...(tracing && { observe: tracing.engine }),
  });
  try {
    if (!creates && !(await hasTables(engine)))
      throw new Error(
        "The database has no tables of Lectern. Set DATABASE_URL to the service's database, or create the tables with lectern migrate.",
      );
    if (!migrates && !(await isMigrated(engine, locations.migrations)))
      throw new Error('The database has not been migrated to this version. Run lectern migrate first.');
    const { applied } = await migrate(engine, locations.migrations);
    if (applied.length > 0) log.info({ applied }, 'migrated the database');
    for (const warning of await searchWarnings(engine)) log.warn({}, warning);
    const wrongClock = clockProblem(await readClock(engine));
    if (wrongClock !== null) log.warn({}, wrongClock);
    const files = await openStorage({ config, db, log });
    const now = () => new Date();
    const keys = await openKeys({ config, db, log, now });
    const counters = openCounters();
    return {
      config,
      homePage: await openHomePage({ db }, { baseUrl: config.baseUrl, isService }),
      engine,
      state: openState(),
      db,
      log,
      files,
      imports: openImports(counters),
      isolate: runIsolated,
      keys,
      load: openLoad(),
      counters,
      now,
      clocks: openClocks(),
      actor: serviceActor,
      ...(tracing && { tracing }),
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}
