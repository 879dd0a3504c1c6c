import { existsSync } from 'node:fs';
import pg from 'pg';
import { appendAudit, deployment } from '../domain/audit/chain.ts';
import type { Config } from '../infra/context/config.ts';
import type { Context } from '../infra/context/context.ts';
import { type Backup, backUp, restore } from '../infra/operations/backup.ts';
import { withDatabase } from './commands.ts';

export async function backupCommand(config: Config, folder: string): Promise<Backup> {
  if (config.databaseUrl !== null) await rejectCluster(config.databaseUrl);
  const backup = await backUp(config, folder, new Date());
  // Do not migrate an older database, because this may be the backup before an upgrade.
  await withDatabase(config, (ctx) => recordBackup(ctx, backup), { migrates: false }).catch(
    (error: unknown) =>
      process.emitWarning(`The backup is complete, but could not be recorded in the audit trail: ${error}`),
  );
  return backup;
}

function recordBackup(ctx: Context, { MadeAt }: Backup): Promise<void> {
  return appendAudit(ctx, deployment, { action: 'backup.created', targetId: null, data: { MadeAt } });
}

async function findsRow(connectionString: string, text: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(text)).rows.length > 0;
  } finally {
    await client.end();
  }
}

const anyTable = `select 1 from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind in ('r', 'p', 'v', 'm', 'S') and nspname !~ '^(pg_|information_schema$)'
    and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e') limit 1`;

const isEmptyServer = async (url: string): Promise<boolean> => !(await findsRow(url, anyTable));

/** `pg_dump` reads each node, and each reference table, at another moment. */
async function rejectCluster(url: string): Promise<void> {
  // If the server cannot be reached, pg_dump says so.
  if (await findsRow(url, `select from pg_extension where extname = 'citus'`).catch(() => false))
    throw new Error(
      'This command cannot back up a Citus cluster, because the nodes would be backed up at different moments. Back up each node as the guide describes under Scaling, Citus.',
    );
}

/** Restores the backup and migrates the database. */
export async function restoreCommand(config: Config, folder: string) {
  const backup = await restore(config, folder, isEmptyServer);
  return withDatabase(config, async (ctx) => {
    const data = { MadeAt: backup.MadeAt };
    await appendAudit(ctx, deployment, { action: 'backup.restored', targetId: null, data });
    const releases = await ctx.db.selectFrom('release').select('release_id').execute();
    const missing = releases
      .map(({ release_id }) => release_id)
      .filter((id) => !existsSync(ctx.files.folder(id)));
    return { ...backup, ReleasesWithoutFiles: missing };
  });
}
