import type { TestContext } from 'node:test';
import { check } from '../../bench/kill/check.ts';
import { type Client, openClient } from '../../bench/kill/client.ts';
import { emptyLedger } from '../../bench/kill/ledger.ts';
import { runLearners } from '../../bench/kill/load.ts';
import { prepareTarget } from '../../bench/kill/rounds.ts';
import { until } from '../../server/test/support/until.ts';
import { type Worker, workerOf } from './worker-process.ts';

const portOf = ({ port }: Worker) => port;

export type LoadedTenant = Awaited<ReturnType<typeof loadedTenant>> & { id: string; worker: Worker };

/** A tenant under load, with the responses that it got. */
async function loadedTenant(baseUrl: string, tenantId: string) {
  const client = openClient(8);
  const seen = { answers: 0, unavailable: 0, wrong: [] as string[], milliseconds: [] as number[] };
  const call: Client['call'] = async (...args) => {
    const begun = performance.now();
    const response = await client.call(...args);
    seen.milliseconds.push(performance.now() - begun);
    seen.answers++;
    if (response.status === 503 && /^\d+$/.test(response.retryAfter ?? '')) seen.unavailable++;
    else if (response.status >= 500)
      seen.wrong.push(`${args[0]} ${args[1]}: ${response.status} ${JSON.stringify(response.body)}`);
    return response;
  };
  const counted = { ...client, call };
  /** After a worker is back, its requests can still wait too long on a busy machine. */
  const patient: Client['call'] = async (...args) => {
    const response = await client.call(...args);
    return response.status === 503 ? patient(...args) : response;
  };
  const target = await prepareTarget(counted, baseUrl, tenantId);
  const ledger = emptyLedger();
  let isOver = false;
  const load = runLearners(target, ledger, { client: counted, concurrency: 8, over: () => isOver });
  return {
    seen,
    key: target.key,
    progress: async () => {
      const { commits, enrolments } = { ...ledger.acknowledged };
      await until(
        `requests of ${tenantId} succeed`,
        () => ledger.acknowledged.commits > commits + 10 && ledger.acknowledged.enrolments > enrolments + 2,
        120,
      );
    },
    end: () => {
      isOver = true;
      return load;
    },
    acknowledged: ledger.acknowledged,
    check: () => check({ ...client, call: patient }, target, ledger, { all: true }),
    close: () => {
      isOver = true;
      client.close();
    },
  };
}

/** Names of two tenants whose rows are on different workers. */
export async function tenantsOnTwoWorkers(databaseUrl: string): Promise<Map<string, Worker>> {
  const found = new Map<string, Worker>();
  for (let n = 0; found.size < 2; n++) {
    const worker = await workerOf(databaseUrl, `walk-${n}`);
    if (![...found.values()].map(portOf).includes(worker.port)) found.set(`walk-${n}`, worker);
  }
  return found;
}

/** Two tenants under load until the test ends, on different workers. */
export async function loadedTenants(
  context: TestContext,
  baseUrl: string,
  databaseUrl: string,
): Promise<[LoadedTenant, LoadedTenant]> {
  const [first, second] = [...(await tenantsOnTwoWorkers(databaseUrl))].map(async ([id, worker]) => {
    const tenant = await loadedTenant(baseUrl, id);
    context.after(tenant.close);
    return { ...tenant, id, worker };
  });
  return Promise.all([first, second] as [Promise<LoadedTenant>, Promise<LoadedTenant>]);
}
