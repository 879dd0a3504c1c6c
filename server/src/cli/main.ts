import { encryptStored } from '../app/encrypt-stored.ts';
import { openContext } from '../app/open-context.ts';
import { startService } from '../app/service.ts';
import { takeTurn, transaction } from '../db/transaction.ts';
import { startDeploymentTrail } from '../domain/audit/chain.ts';
import { auditRotation, renewSeals } from '../domain/audit/verify.ts';
import { bootstrapKey } from '../domain/identity/keys.ts';
import type { KeyWithSecret } from '../domain/identity/schemas.ts';
import { createOperatorLink, hasOperatorSignedIn, linkMessage } from '../domain/sign-in/operator-links.ts';
import type { SignInLink } from '../domain/sign-in/schemas.ts';
import { type Config, readConfig } from '../infra/context/config.ts';
import type { Context } from '../infra/context/context.ts';
import { onReachableNodes } from '../infra/operations/jobs.ts';
import { startWarnings } from '../infra/operations/start-warnings.ts';
import { collectGarbage } from '../lib/collect-garbage.ts';
import { clearScratch, scratchAge } from '../lib/files.ts';
import { type Log, openLog } from '../lib/log.ts';
import { createForOwnerOnly } from '../lib/owner-only.ts';
import { accessHint } from './help.ts';

/** The operator's first key and link, created by one node on an empty database. */
export type FirstAccess = { key: string; link: SignInLink };

type Started = { first: FirstAccess | null; hint: string | null; stop: () => Promise<void> };

export async function start(config: Config, log: Log): Promise<Started & { ctx: Context }> {
  const ctx = await openContext(config, log);
  const known = await prepare(ctx).catch(async (error: unknown) => {
    await ctx.engine.close();
    throw error;
  });
  const problem = await ctx.files.problem();
  if (problem !== null) log.error({}, problem);
  const { stop } = await startService(ctx);
  const shown = await openAccess(ctx, known).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { ...shown, stop, ctx };
}

/**
 * Prepares the database and the folder. Nodes that share them may do this simultaneously. Returns
 * the first key if BOOTSTRAP_KEY is set, because that key must work as soon as the service listens.
 */
async function prepare(ctx: Context): Promise<KeyWithSecret | null> {
  await onReachableNodes(ctx, encryptStored);
  await startDeploymentTrail(ctx);
  await auditRotation(ctx);
  await onReachableNodes(ctx, renewSeals);
  await clearScratch(ctx.config.dataDir, ctx.config.databaseUrl === null ? 0 : scratchAge);
  return ctx.config.bootstrapKey === null ? null : createFirstKey(ctx);
}

/** If several nodes start together, only one creates the key. */
function createFirstKey(ctx: Context): Promise<KeyWithSecret | null> {
  return transaction(ctx, async (ctx) => {
    await takeTurn(ctx);
    return bootstrapKey(ctx, ctx.config.bootstrapKey);
  });
}

/**
 * Called only once the service is listening. If a start failed after creating the key, the key would never be
 * shown.
 */
async function openAccess(
  ctx: Context,
  known: KeyWithSecret | null,
): Promise<Pick<Started, 'first' | 'hint'>> {
  const key = known ?? (await createFirstKey(ctx));
  if (key) return { first: { key: key.Secret, link: await createOperatorLink(ctx) }, hint: null };
  return { first: null, hint: (await hasOperatorSignedIn(ctx)) ? null : accessHint() };
}

/** Shuts down gracefully on the first SIGINT or SIGTERM and immediately on the second. */
export function stopOnSignal(log: Log, stop: () => Promise<void>): void {
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      log.info({ signal }, 'stopping');
      void stopAndExit(log, stop);
    });
}

async function stopAndExit(log: Log, stop: () => Promise<void>): Promise<never> {
  try {
    await stop();
  } catch (error) {
    log.error({ err: error }, 'the shutdown failed');
    process.exit(1);
  }
  process.exit(0);
}

export async function serve(): Promise<void> {
  createForOwnerOnly();
  const config = readConfig(process.env);
  const log = openLog(config.logLevel);
  for (const warning of startWarnings(config, process.env)) log.warn({}, warning);
  const starting = start(config, log);
  stopOnSignal(log, async () => (await starting).stop());
  const { first, hint } = await starting;
  if (first && config.bootstrapKey === null)
    process.stdout.write(`\nThe operator's key, shown only once:\n\n  ${first.key}\n\n`);
  if (first) process.stdout.write(linkMessage(first.link));
  if (hint) process.stdout.write(hint);
  log.info({ api: config.baseUrl, content: config.contentUrl }, 'Lectern is ready');
  // By then, the first jobs have run.
  setTimeout(collectGarbage, 5_000).unref();
}
