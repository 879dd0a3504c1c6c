import { type Database, kyselyOn } from './dialect.ts';
import type { DatabaseLog, Engine } from './engine.ts';
import { openPglite } from './pglite.ts';
import { openPostgres } from './postgres.ts';
import { shareAmongTenants } from './share.ts';
import { guardTenants } from './tenant-guard.ts';

export type DatabaseOptions = {
  databaseUrl: string | undefined;
  statementNames: boolean;
  dataDir: string;
  log: DatabaseLog;
};

/** Does not migrate: see `migrate`. */
export async function openDatabase({
  databaseUrl,
  statementNames,
  dataDir,
  log,
}: DatabaseOptions): Promise<{ engine: Engine; db: Database }> {
  const opened = databaseUrl
    ? await openPostgres({ url: databaseUrl, names: statementNames, log })
    : await openPglite({ folder: dataDir, log });
  const engine = guardTenants(shareAmongTenants(opened));
  return { engine, db: kyselyOn(engine) };
}
