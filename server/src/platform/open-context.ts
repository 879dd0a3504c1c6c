import { openClocks } from './clocks.ts';
import type { Config } from './config.ts';
import { type Context, serviceActor } from './context.ts';
import { isMigrated, migrate } from './db/migrate.ts';
import { openDatabase } from './db/open.ts';
import { openFiles } from './files/files.ts';
import { restrictDataFolder } from './files/owner-only.ts';
import { openHomePage } from './home-page.ts';
import { openKeys } from './keys/open-keys.ts';
import { openImports } from './load/import-queue.ts';
import { openLoad } from './load/load.ts';
import { locations } from './locations.ts';
import { openState } from './node-state.ts';
import { openCounters } from './operations/counters.ts';
import { runIsolated } from './operations/isolated.ts';
import type { Log } from './operations/log.ts';
import { searchWarnings } from './operations/start-warnings.ts';

/**
 * Opens everything that service functions need, including the database and the files. Migrates an
 * older database or, if `migrates` is false, rejects it.
 */
export async function openContext(
  config: Config,
  log: Log,
  { migrates = true, isService = true }: { migrates?: boolean; isService?: boolean } = {},
): Promise<Context> {
  restrictDataFolder(config.dataDir, log);
  const { engine, db } = await openDatabase({
    databaseUrl: config.databaseUrl ?? undefined,
    statementNames: config.statementNames,
    connections: config.databaseConnections,
    dataDir: config.dataDir,
    log,
  });
  try {
    if (!migrates && !(await isMigrated(engine, locations.migrations)))
      throw new Error('The database has not been migrated to this version. Run lectern migrate first.');
    const { applied } = await migrate(engine, locations.migrations);
    if (applied.length > 0) log.info({ applied }, 'migrated the database');
    for (const warning of await searchWarnings(engine)) log.warn({}, warning);
    const files = await openFiles(config.dataDir);
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
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}
