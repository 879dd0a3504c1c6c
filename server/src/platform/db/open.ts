import { type Database, kyselyOn } from './dialect.ts';
import type { DatabaseLog, Engine } from './engine.ts';
import { guardTenants } from './guard/tenant-guard.ts';
import { openPglite } from './pglite/pglite.ts';
import { openPostgres } from './postgres/postgres.ts';
import { shareAmongTenants } from './share.ts';

export type DatabaseOptions = {
  databaseUrl: string | undefined;
  statementNames: boolean;
  dataDir: string;
  log: DatabaseLog;
};

/** Does not migrate the database; see `migrate`. */
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
