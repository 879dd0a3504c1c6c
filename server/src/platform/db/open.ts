import { type Database, kyselyForEngine } from './dialect.ts';
import type { DatabaseLog, Engine } from './engine.ts';
import { guardTenants } from './guard/tenant-guard.ts';
import { openPglite } from './pglite/pglite.ts';
import { openPostgres } from './postgres/postgres.ts';
import { openReplica, type Replica } from './replica/replica.ts';
import { shareAmongTenants } from './share-among-tenants.ts';

export type DatabaseOptions = {
  databaseUrl: string | undefined;
  /** A replica of the same database. */
  readUrl: string | undefined;
  statementNames: boolean;
  /** Maximum connections of this process to a server. */
  connections: number;
  dataDir: string;
  log: DatabaseLog;
};

/** Does not migrate the database; see `migrate`. */
export async function openDatabase({
  databaseUrl,
  readUrl,
  statementNames,
  connections,
  dataDir,
  log,
}: DatabaseOptions): Promise<{ engine: Engine; db: Database; replica: Replica | null }> {
  const onServer = (url: string) =>
    openPostgres({ url, max: connections, preparesStatements: statementNames, log });
  const guarded = (opened: Engine) => guardTenants(shareAmongTenants(opened, connections));
  const opened = databaseUrl ? await onServer(databaseUrl) : await openPglite({ folder: dataDir, log });
  const primary = guarded(opened);
  if (!readUrl) return { engine: primary, db: kyselyForEngine(primary), replica: null };
  const copy = guarded(await onServer(readUrl));
  const engine = { ...primary, close: async () => void (await Promise.all([copy.close(), primary.close()])) };
  return { engine, db: kyselyForEngine(engine), replica: openReplica(engine, copy, log) };
}
