import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { check } from '../../bench/kill/check.ts';
import { type Client, openClient } from '../../bench/kill/client.ts';
import { checkServer } from '../../bench/kill/consistency.ts';
import { emptyLedger } from '../../bench/kill/ledger.ts';
import { runLearners } from '../../bench/kill/load.ts';
import { prepareTarget, ready } from '../../bench/kill/rounds.ts';
import {
  bootstrapKey,
  cleanUp,
  startProcess,
  stopProcess,
  temporaryFolder,
} from '../../server/test/support/process.ts';
import { emptyServerDatabase } from '../../server/test/support/server-database.ts';
import { until } from '../../server/test/support/until.ts';
import { killWorker, urlOf, type Worker, workerOf } from './worker-process.ts';

after(cleanUp);

const portOf = ({ port }: Worker) => port;

/** A tenant under load, with the responses that it got. */
async function loadedTenant(baseUrl: string, tenantId: string) {
  const client = openClient(8);
  const seen = { answers: 0, unavailable: 0, wrong: [] as string[] };
  const call: Client['call'] = async (...args) => {
    const response = await client.call(...args);
    seen.answers++;
    if (response.status === 503 && /^\d+$/.test(response.retryAfter ?? '')) seen.unavailable++;
    else if (response.status >= 500)
      seen.wrong.push(`${args[0]} ${args[1]}: ${response.status} ${JSON.stringify(response.body)}`);
    return response;
  };
  const counted = { ...client, call };
  const target = await prepareTarget(counted, baseUrl, tenantId);
  const ledger = emptyLedger();
  let isOver = false;
  const load = runLearners(target, ledger, { client: counted, concurrency: 8, over: () => isOver });
  return {
    seen,
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
    check: () => check(client, target, ledger, { all: true }),
    close: () => {
      isOver = true;
      client.close();
    },
  };
}

/** Names of two tenants whose rows are on different workers. */
async function tenantsOnTwoWorkers(databaseUrl: string): Promise<Map<string, Worker>> {
  const found = new Map<string, Worker>();
  for (let n = 0; found.size < 2; n++) {
    const worker = await workerOf(databaseUrl, `walk-${n}`);
    if (![...found.values()].map(portOf).includes(worker.port)) found.set(`walk-${n}`, worker);
  }
  return found;
}

test('while a worker is down, its tenants get 503, all others are served, and no acknowledged write is lost', async (context) => {
  const database = await emptyServerDatabase(process.env.TEST_DATABASE_URL ?? '');
  context.after(database.drop);
  const service = await startProcess({
    DATA_DIR: await temporaryFolder(),
    BOOTSTRAP_KEY: bootstrapKey,
    DATABASE_URL: database.url,
    LOG_LEVEL: 'error',
    RATE_LIMIT: '0',
  });
  const tenants: (Awaited<ReturnType<typeof loadedTenant>> & { id: string; worker: Worker })[] = [];
  for (const [id, worker] of await tenantsOnTwoWorkers(database.url)) {
    const tenant = { ...(await loadedTenant(service.baseUrl, id)), id, worker };
    context.after(tenant.close);
    tenants.push(tenant);
  }
  for (const [victim, other] of [tenants, tenants.toReversed()] as [
    (typeof tenants)[0],
    (typeof tenants)[0],
  ][]) {
    for (const tenant of tenants) await tenant.progress();
    const before = { refused: victim.seen.unavailable, others: other.seen.unavailable };
    const restart = await killWorker(urlOf(database.url, victim.worker));
    try {
      await until(`${victim.id} gets 503`, () => victim.seen.unavailable > before.refused + 8, 120);
      await other.progress();
      await other.progress();
      assert.equal(other.seen.unavailable, before.others, `${other.id} got 503`);
    } finally {
      await restart();
    }
    await victim.progress();
    await until('the service is ready', () => ready(openClient(1), service.baseUrl));
  }
  for (const { seen, end, check, id, acknowledged } of tenants) {
    assert.deepEqual(await end(), [], id);
    assert.deepEqual(seen.wrong, [], id);
    assert.deepEqual(await check(), { lost: [], torn: [] }, id);
    console.log(
      `${id}: ${seen.answers} responses, ${seen.unavailable} of them 503, ${JSON.stringify(acknowledged)}`,
    );
  }
  assert.deepEqual(await checkServer(database.url), []);
  assert.deepEqual(await stopProcess(service), { code: 0, signal: null });
});
