import { bootstrapKey } from './modules/auth/keys.ts';
import { settleEpoch } from './modules/events/epoch.ts';
import { type Config, readConfig } from './platform/config.ts';
import { clearScratch } from './platform/files.ts';
import { type Log, openLog } from './platform/log.ts';
import { openContext } from './platform/open-context.ts';
import { type Service, startService } from './service.ts';

/** Serves with this configuration; prints the operator's first key on an empty database. */
export async function start(config: Config, log: Log): Promise<Service & { firstKey: string | null }> {
  const ctx = await openContext(config, log);
  await clearScratch(config.dataDir);
  const key = await settleEpoch(ctx)
    .then(() => bootstrapKey(ctx, config.bootstrapKey))
    .catch(async (error: unknown) => {
      await ctx.engine.close();
      throw error;
    });
  const service = await startService(ctx);
  return { ...service, firstKey: key?.Secret ?? null };
}

/** Stops gracefully on the first SIGINT or SIGTERM, at once on the second. */
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
          log.error({ err: error }, 'the stop failed');
          process.exit(1);
        },
      );
    });
}

/** What stops a start is told in a sentence; the stack is for LOG_LEVEL=debug. */
export function exitWithReason(error: unknown): never {
  const inUse = (error as { code?: string }).code === 'EADDRINUSE';
  if (inUse) console.error('The port is in use. Stop what listens there, or set PORT and CONTENT_PORT.');
  else console.error(error instanceof Error && process.env.LOG_LEVEL !== 'debug' ? error.message : error);
  process.exit(1);
}

export async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const log = openLog(config.logLevel);
  const { stop, firstKey } = await start(config, log);
  stopOnSignal(log, stop);
  if (firstKey !== null && config.bootstrapKey === null)
    process.stdout.write(`\nThe operator's key, shown this once:\n\n  ${firstKey}\n\n`);
  log.info({ interface: config.baseUrl, content: config.contentUrl }, 'Lectern is ready');
}

if (import.meta.main) await serve().catch(exitWithReason);
