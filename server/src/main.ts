import { startMissingTrails } from './modules/audit/begin.ts';
import { auditRotation } from './modules/audit/key-rotation.ts';
import { renewSeals } from './modules/audit/renew-seals.ts';
import { bootstrapKey } from './modules/auth/keys.ts';
import { ensureEpoch } from './modules/events/epoch.ts';
import { createOperatorLink, linkMessage } from './modules/people/operator-links.ts';
import type { SignInLink } from './modules/people/schemas.ts';
import { encryptSecrets } from './modules/webhooks/secrets.ts';
import { type Config, readConfig } from './platform/config.ts';
import type { Context } from './platform/context.ts';
import { run, transaction } from './platform/db/transaction.ts';
import { clearScratch } from './platform/files/files.ts';
import { createForOwnerOnly } from './platform/files/owner-only.ts';
import { openContext } from './platform/open-context.ts';
import { type Log, openLog } from './platform/operations/log.ts';
import { startWarnings } from './platform/operations/start-warnings.ts';
import { type Service, startService } from './service.ts';

const day = 86_400_000;

/** The operator's first key and link, created by one node on an empty database. */
export type First = { key: string; link: SignInLink };

/** Serves with this configuration. */
export async function start(config: Config, log: Log): Promise<Service & { first: First | null }> {
  const ctx = await openContext(config, log);
  const first = await prepare(ctx).catch(async (error: unknown) => {
    await ctx.engine.close();
    throw error;
  });
  const service = await startService(ctx);
  return { ...service, first };
}

/**
 * Nodes that share a database and a folder may start simultaneously: one creates the first key, and none undoes
 * another's work.
 */
async function prepare(ctx: Context): Promise<First | null> {
  await encryptSecrets(ctx);
  await startMissingTrails(ctx);
  await auditRotation(ctx);
  await ensureEpoch(ctx);
  await renewSeals(ctx);
  await clearScratch(ctx.config.dataDir, ctx.config.databaseUrl === null ? 0 : day);
  const key = await transaction(ctx, async (ctx) => {
    await run(ctx, { text: 'lock table api_key in share row exclusive mode', values: [] });
    return bootstrapKey(ctx, ctx.config.bootstrapKey);
  });
  return key && { key: key.Secret, link: await createOperatorLink(ctx) };
}

/** Shuts down gracefully on the first SIGINT or SIGTERM and immediately on the second. */
export function stopOnSignal(log: Log, stop: () => Promise<void>): void {
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      log.info({ signal }, 'stopping');
      stop().then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ err: error }, 'the shutdown failed');
          process.exit(1);
        },
      );
    });
}

export async function serve(): Promise<void> {
  createForOwnerOnly();
  const config = readConfig(process.env);
  const log = openLog(config.logLevel);
  for (const warning of startWarnings(config, process.env)) log.warn({}, warning);
  const starting = start(config, log);
  stopOnSignal(log, async () => (await starting).stop());
  const { first } = await starting;
  if (first && config.bootstrapKey === null)
    process.stdout.write(`\nThe operator's key, shown only once:\n\n  ${first.key}\n\n`);
  if (first) process.stdout.write(linkMessage(first.link));
  log.info({ interface: config.baseUrl, content: config.contentUrl }, 'Lectern is ready');
}
