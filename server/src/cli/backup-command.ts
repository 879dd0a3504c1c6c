import { buildApp } from '../app/app.ts';
import { encryptStored } from '../app/encrypt-stored.ts';
import { appendAudit, deployment } from '../domain/audit/chain.ts';
import { verifyAudit } from '../domain/audit/verify.ts';
import { findDamage } from '../domain/catalogue/find-damage.ts';
import type { Config } from '../infra/context/config.ts';
import type { Context } from '../infra/context/context.ts';
import { type Backup, backUp, restore } from '../infra/operations/backup.ts';
import { disownStore } from '../infra/storage/storage-owner.ts';
import { withDatabase } from './commands.ts';
import { findsRow, readKnownFiles } from './read-database.ts';
import { onRestored } from './restored-copy.ts';

export async function backupCommand(
  config: Config,
  input: { folder: string; allowsMissing: boolean },
): Promise<Backup> {
  if (config.databaseUrl !== null) await rejectCluster(config.databaseUrl);
  const backup = await backUp(config, { ...input, now: new Date(), readKnown: () => readKnownFiles(config) });
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

const anyTable = `select 1 from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind in ('r', 'p', 'v', 'm', 'S') and nspname !~ '^(pg_|information_schema$)'
    and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e') limit 1`;

const isEmptyServer = async (url: string): Promise<boolean> => !(await findsRow(url, anyTable));

/** `pg_dump` reads each node, and each reference table, at another moment. */
async function rejectCluster(url: string): Promise<void> {
  // If the server cannot be reached, reading the database says so.
  if (await findsRow(url, `select from pg_extension where extname = 'citus'`).catch(() => false))
    throw new Error(
      'This command cannot back up a Citus cluster, because the nodes would be backed up at different moments. Back up each node as the guide describes under Scaling, Citus.',
    );
}

export async function restoreCommand(config: Config, folder: string) {
  const backup = await restore(config, folder, isEmptyServer);
  return withDatabase(config, async (ctx) => {
    const data = { MadeAt: backup.MadeAt };
    await appendAudit(ctx, deployment, { action: 'backup.restored', targetId: null, data });
    const releases = await ctx.db.selectFrom('release').select('release_id').where('files', '>', 0).execute();
    await disownStore(ctx);
    const missing: string[] = [];
    for (const { release_id: id } of releases) if (!(await ctx.files.list(id))) missing.push(id);
    return { ...backup, ReleasesWithoutFiles: missing };
  });
}

/** Restores the backup into a temporary place and starts the service there, without its background work. */
export async function verifyBackupCommand(config: Config, folder: string) {
  const began = performance.now();
  return onRestored(config, folder, (place, about) =>
    withDatabase(place, async (ctx) => {
      // Decrypting shows that the key ring is the right one.
      await encryptStored(ctx);
      const { Intact, Chains } = await verifyAudit(ctx);
      const damage = await findDamage(ctx);
      const status = await statusOnceStarted(ctx);
      return {
        MadeAt: about.MadeAt,
        Verified: Intact && damage.length === 0 && status === 200,
        Tenants: Chains.filter(({ TenantID, Break }) => TenantID !== null && Break === null).length,
        Releases: about.Releases,
        DamagedReleases: damage.map(({ courseId, release, found }) => ({
          CourseID: courseId,
          Release: release,
          Found: found,
        })),
        AuditIntact: Intact,
        ReadyStatus: status,
        Seconds: Math.round((performance.now() - began) / 1_000),
      };
    }),
  );
}

/** Background work does not start, because it would send emails and webhooks. */
async function statusOnceStarted(ctx: Context): Promise<number> {
  const { api, content } = await buildApp(ctx);
  try {
    const address = await api.listen({ host: '127.0.0.1', port: 0 });
    await content.listen({ host: '127.0.0.1', port: 0 });
    return (await fetch(`${address}/health/ready`)).status;
  } finally {
    await Promise.all([api.close(), content.close()]);
  }
}
