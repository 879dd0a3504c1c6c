import { limitConnections } from './connections.ts';
import type { DatabaseLog, Engine } from './engine/engine.ts';
import { openPglite } from './engine/pglite.ts';
import { openPostgres } from './engine/postgres.ts';
import { guardTenants } from './guard/tenant-guard.ts';
import { type Database, kyselyForEngine } from './transaction.ts';

export type DatabaseOptions = {
  databaseUrl: string | undefined;
  statementNames: boolean;
  /** Maximum connections of this process to a server. */
  connections: number;
  dataDir: string;
  log: DatabaseLog;
  /** Observes the statements, for traces. */
  observe?: (engine: Engine) => Engine;
};

/** Does not migrate the database; see `migrate`. */
export async function openDatabase({
  databaseUrl,
  statementNames,
  connections,
  dataDir,
  log,
  observe = (engine) => engine,
}: DatabaseOptions): Promise<{ engine: Engine; db: Database }> {
  // `limitConnections` limits them, on Citus for each worker node.
  const max = Number.POSITIVE_INFINITY;
  const opened = databaseUrl
    ? await openPostgres({ url: databaseUrl, max, preparesStatements: statementNames, log })
    : await openPglite({ folder: dataDir, log });
  const engine = observe(guardTenants(limitConnections(opened, connections)));
  return { engine, db: kyselyForEngine(engine) };
}
