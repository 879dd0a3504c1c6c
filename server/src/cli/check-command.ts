import { existsSync } from 'node:fs';
import { statfs, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, readConfig } from '../infra/context/config.ts';
import { checkMailServer } from '../infra/mail/send.ts';
import { incompleteReleases, type KnownFiles } from '../infra/operations/backup.ts';
import { daysLeft, uncoveredHosts } from '../infra/operations/certificate.ts';
import { type Clock, clockProblem } from '../infra/operations/clock.ts';
import { readRing } from '../infra/operations/open-keys.ts';
import { startWarnings } from '../infra/operations/start-warnings.ts';
import { openObjectStore } from '../infra/storage/object-store.ts';
import type { Environment } from '../lib/settings.ts';
import { reasonOf, sentenceFor } from './exit.ts';
import { readDatabase } from './read-database.ts';

type Result = 'ok' | 'warning' | 'failed' | 'skipped';
export type Check = { Name: string; Result: Result; Detail: string };
type Outcome = [Result, string];

const gibibyte = 1024 ** 3;
const warnDays = 14;

/** Checks everything that the service needs, without starting it and without changing any data. */
export async function checkCommand(env: Environment): Promise<{ OK: boolean; Checks: Check[] }> {
  const checks: Check[] = [];
  const add = async (Name: string, work: () => Outcome | Promise<Outcome>) => {
    const [Result, Detail] = await Promise.resolve()
      .then(work)
      .catch((error: unknown): Outcome => ['failed', sentenceFor(error)]);
    checks.push({ Name, Result, Detail });
  };
  let config: Config | null = null;
  await add('configuration', () => {
    config = readConfig(env);
    const warnings = startWarnings(config, env);
    return warnings.length > 0 ? ['warning', warnings.join(' ')] : ['ok', 'All settings are valid.'];
  });
  if (config) await checkParts(config, add);
  return { OK: checks.every(({ Result }) => Result !== 'failed'), Checks: checks };
}

type Add = (name: string, work: () => Outcome | Promise<Outcome>) => Promise<void>;

async function checkParts(config: Config, add: Add): Promise<void> {
  let known: KnownFiles | null = null;
  let storeProblem: string | null = null;
  let clock: Outcome = ['skipped', 'The database could not be asked for the time.'];
  await add('database', async () => {
    const found = await readDatabase(config);
    ({ known, storeProblem } = found);
    if (found.clock !== null) clock = clockOutcome(found.clock);
    return found.outcome;
  });
  await add('key ring', () => keysOutcome(config, known));
  await add('storage', () =>
    storeProblem === null ? storageOutcome(config, known) : ['failed', storeProblem],
  );
  await add('mail', () => mailOutcome(config));
  await add('certificates', () => certificateOutcome(config));
  await add('clock', () => clock);
}

function keysOutcome(config: Config, known: KnownFiles | null): Outcome {
  const keys = readRing(config, known?.ring ?? null);
  if (!keys) return ['ok', 'The first start creates the key ring.'];
  const [first] = keys;
  if (!known) return ['skipped', `The ring signs with ${first?.id}. The database could not be compared.`];
  return ['ok', `The ring signs with ${first?.id} and has the key that the database was last used with.`];
}

async function storageOutcome(config: Config, known: KnownFiles | null): Promise<Outcome> {
  const { dataDir } = config;
  if (!existsSync(dataDir)) return ['warning', `${dataDir} does not exist yet; the first start creates it.`];
  const probe = join(dataDir, `check-${process.pid}`);
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail === 0)
    return [
      'failed',
      `The disk of DATA_DIR, ${dataDir}, is full. Free some space${config.storage ? ', or lower STORAGE_CACHE' : ''}.`,
    ];
  await writeFile(probe, 'lectern', { flag: 'wx' }).finally(() => unlink(probe).catch(() => {}));
  const free = `${((bavail * bsize) / gibibyte).toFixed(1)} GiB of free space in ${dataDir}`;
  if (config.storage) {
    const store = openObjectStore(config.storage);
    const key = `check-${process.pid}`;
    await store.putText(key, 'lectern');
    const isRead = (await store.getText(key)) === 'lectern';
    await store.remove(key);
    if (!isRead) return ['failed', `STORAGE_URL: ${store.place} returned other content than was written.`];
    return ['ok', `${store.place} can be read and written; ${free} for copies.`];
  }
  const incomplete = known ? await incompleteReleases(config, known.releases) : [];
  if (incomplete.length > 0)
    return [
      'failed',
      `${incomplete.length} of ${known?.releases.length} releases lack files: ${incomplete.slice(0, 3).join(', ')}. Set DATA_DIR to the service's folder, restore the files from a backup, or import the packages again.`,
    ];
  if (bavail * bsize < gibibyte) return ['warning', `${free}: uploads are refused. Free some space.`];
  return ['ok', `${free}; ${known?.releases.length ?? 0} releases have all their files.`];
}

async function mailOutcome({ mail }: Config): Promise<Outcome> {
  if (!mail) return ['skipped', 'SMTP_URL is not set, so the service sends no email.'];
  await checkMailServer(mail).catch((error: unknown) => {
    throw new Error(`SMTP_URL: ${mail.host}:${mail.port} does not accept emails (${reasonOf(error)}).`);
  });
  return ['ok', `${mail.host}:${mail.port} accepts the connection${mail.user ? ' and the password' : ''}.`];
}

function certificateOutcome(config: Config): Outcome {
  const { tls } = config;
  if (!tls) return ['skipped', 'TLS_CERT is not set: the proxy has the certificates.'];
  const days = daysLeft(tls.certFile, new Date());
  if (days < 0) return ['failed', `The certificate in ${tls.certFile} expired ${-days} days ago. Renew it.`];
  const hosts = uncoveredHosts(tls.certFile, config);
  if (hosts.length > 0)
    return ['failed', `The certificate in ${tls.certFile} does not cover ${hosts.join(' and ')}.`];
  return [days < warnDays ? 'warning' : 'ok', `The certificate is valid for ${days} more days.`];
}

function clockOutcome(clock: Clock): Outcome {
  const problem = clockProblem(clock);
  if (problem !== null) return ['failed', problem];
  return ['ok', `The clock differs by ${Math.abs(clock.ahead).toFixed(1)} s from the database's.`];
}
