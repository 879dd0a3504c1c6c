import { setTimeout as pause } from 'node:timers/promises';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  type Environment,
  type Running,
  startProcess,
  stopProcess,
  temporaryFolder,
} from '../../server/test/support/process.ts';
import { until } from '../../server/test/support/until.ts';
import { openBackups } from './backups.ts';
import { check } from './check.ts';
import { type Client, openClient } from './client.ts';
import { checkFolder, checkServer } from './consistency.ts';
import { type Counts, emptyLedger, type Ledger } from './ledger.ts';
import { courseId, runLearners, type Target } from './load.ts';
import { checkReleases, importReleases } from './releases.ts';

export type Options = {
  rounds: number;
  /** Null for the embedded database. */
  databaseUrl: string | null;
  /** If set, this server is killed instead of the service, in one way and another in turn. */
  victim?: { crash: (how: 'kill' | 'immediate') => Promise<void>; start: () => Promise<void> };
  /** More settings of the service. */
  env?: Environment;
  /** Also imports releases and, on a server, makes backups. */
  imports?: boolean;
  /** Sends only statements, so that most kills interrupt the learning record store. */
  onlyStatements?: boolean;
  report?: (line: string) => void;
};

export type Result = {
  rounds: number;
  acknowledged: Counts;
  interrupted: Ledger['interrupted'];
  lost: string[];
  torn: string[];
  faults: string[];
  restarts: number[];
};

const concurrency = 16;

/** Creates a tenant with a key, and a course to take. */
export async function prepareTarget(client: Client, baseUrl: string, tenantId = 'walk'): Promise<Target> {
  const call = async (method: string, path: string, body: unknown) => {
    const response = await client.call(method, baseUrl + path, body, bootstrapKey);
    if (response.status >= 300) throw new Error(`${method} ${path} returned ${response.status}`);
    return response.body;
  };
  await call('POST', '/tenant', { TenantID: tenantId });
  await call('PUT', `/course/${courseId}`, { Title: 'A walk', URL: 'https://walk.example/' });
  await call('PUT', `/course/${courseId}/option/standard`, {});
  const { Secret } = await call('POST', `/tenant/${tenantId}/key`, { Name: 'kill' });
  return { baseUrl, key: Secret };
}

export async function ready(client: Client, baseUrl: string): Promise<boolean> {
  const response = await client.call('GET', `${baseUrl}/health/ready`).catch(() => null);
  return response?.status === 200;
}

/**
 * Kills the service or the server repeatedly under load, always on the same data, and checks the data each
 * time.
 */
export async function killRounds(options: Options): Promise<Result> {
  const { rounds, databaseUrl, victim, imports, onlyStatements = false, report = () => {} } = options;
  const home: Environment =
    databaseUrl === null
      ? await databaseSettings()
      : { DATA_DIR: await temporaryFolder(), DATABASE_URL: databaseUrl, BOOTSTRAP_KEY: bootstrapKey };
  let service = await startProcess({ ...home, ...options.env, LOG_LEVEL: 'error', RATE_LIMIT: '0' });
  const { env } = service;
  const client = openClient(concurrency);
  const ledger = emptyLedger();
  const result: Result = {
    rounds,
    acknowledged: ledger.acknowledged,
    interrupted: ledger.interrupted,
    lost: [],
    torn: [],
    faults: [],
    restarts: [],
  };
  const target = await prepareTarget(client, service.baseUrl);
  const backUp = imports && databaseUrl !== null ? await openBackups(env, ledger) : null;
  try {
    for (let round = 1; round <= rounds; round++) {
      let over = false;
      const load = runLearners(target, ledger, { client, concurrency, onlyStatements, over: () => over });
      const importing = imports ? importReleases(target, ledger, () => over) : [];
      const backup = backUp?.();
      const before = { ...ledger.acknowledged };
      const awaited: (keyof Counts)[] = ['statements'];
      if (!onlyStatements) awaited.push('commits', 'late');
      if (imports) awaited.push('releases');
      const missing = () => awaited.filter((what) => ledger.acknowledged[what] === before[what]);
      await until(
        () =>
          `round ${round}: no ${missing().join(', no ')} acknowledged; last failures: ${ledger.failures.slice(-5).join('; ')}; the service's log: ${service.stdout().slice(-5_000)}`,
        () => missing().length === 0,
        300,
      );
      await pause(200 + Math.random() * 1_800);
      const restart = victim ? await crashServer(victim, round) : await crashService(service, env);
      over = true;
      result.faults.push(...(await load), ...(await importing));
      const begun = performance.now();
      service = (await restart()) ?? service;
      await until('the service is ready', () => ready(client, target.baseUrl));
      result.restarts.push(Math.round(performance.now() - begun));
      const all = { all: round === rounds };
      const found = [await check(client, target, ledger, all)];
      if (imports) found.push(await checkReleases(client, target, ledger, all));
      result.lost.push(...found.flatMap(({ lost }) => lost));
      result.torn.push(...found.flatMap(({ torn }) => torn));
      // A backup outlives the service, and is killed itself every other time.
      if (backup) result.torn.push(...(await backup.end(!victim && round % 2 === 0)));
      if (databaseUrl !== null) result.torn.push(...(await checkServer(databaseUrl)));
      report(
        `round ${round}: ${JSON.stringify(result.acknowledged)}, ready after ${result.restarts.at(-1)} ms`,
      );
    }
    const { code } = await stopProcess(service);
    if (code !== 0) result.faults.push(`the service stopped with ${code}`);
    if (databaseUrl === null) result.torn.push(...(await checkFolder(String(home.DATA_DIR))));
    return result;
  } finally {
    client.close();
    await cleanUp();
  }
}

async function crashService(service: Running, env: Environment): Promise<() => Promise<Running>> {
  service.child.kill('SIGKILL');
  await service.exited;
  return () => startProcess(env);
}

async function crashServer(
  victim: NonNullable<Options['victim']>,
  round: number,
): Promise<() => Promise<null>> {
  await victim.crash(round % 2 === 0 ? 'kill' : 'immediate');
  await pause(200);
  return async () => {
    await victim.start();
    return null;
  };
}
