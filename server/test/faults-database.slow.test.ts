import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { check } from '../../bench/kill/check.ts';
import { type Client, openClient } from '../../bench/kill/client.ts';
import { checkServer } from '../../bench/kill/consistency.ts';
import { emptyLedger } from '../../bench/kill/ledger.ts';
import { runLearners } from '../../bench/kill/load.ts';
import { prepareTarget, ready } from '../../bench/kill/rounds.ts';
import { startCluster } from '../../scripts/postgres-cluster.ts';
import { bootstrapKey, cleanUp, startProcess, stopProcess, temporaryFolder } from './support/process.ts';
import { until } from './support/until.ts';

after(cleanUp);
const skip =
  !process.env.TEST_DATABASE_URL && 'an embedded database stops with its service; runs with --postgres';

/** Counts responses and keeps the unexpected ones. */
function counted(client: Client) {
  const seen = { answers: 0, unavailable: 0, wrong: [] as string[] };
  const call: Client['call'] = async (...args) => {
    const response = await client.call(...args);
    seen.answers++;
    if (response.status === 503 && /^\d+$/.test(response.retryAfter ?? '')) seen.unavailable++;
    else if (response.status >= 500)
      seen.wrong.push(`${args[0]} ${args[1]}: ${response.status} ${JSON.stringify(response.body)}`);
    return response;
  };
  return { client: { ...client, call }, seen };
}

for (const how of ['kill', 'fast'] as const)
  test(`the database stops (${how}) and returns under load: 503 with Retry-After, no restart, nothing lost or duplicated`, {
    skip,
  }, async (context) => {
    const server = await startCluster();
    context.after(server.remove);
    const env = {
      DATA_DIR: await temporaryFolder(),
      BOOTSTRAP_KEY: bootstrapKey,
      DATABASE_URL: server.url,
      LOG_LEVEL: 'error',
    };
    const service = await startProcess(env);
    const { client, seen } = counted(openClient(16));
    const target = await prepareTarget(client, service.baseUrl);
    const ledger = emptyLedger();
    let isOver = false;
    context.after(() => {
      isOver = true;
      client.close();
    });
    const load = runLearners(target, ledger, { client, concurrency: 16, over: () => isOver });
    for (let round = 0; round < 2; round++) {
      const before = ledger.acknowledged.commits;
      await until('requests keep succeeding', () => ledger.acknowledged.commits > before + 20);
      await server.crash(how);
      const refused = seen.unavailable;
      await until('requests get 503', () => seen.unavailable > refused + 16);
      await until('the service is not ready', async () => !(await ready(client, target.baseUrl)));
      await server.start();
      await until('the service is ready', () => ready(client, target.baseUrl));
    }
    const before = ledger.acknowledged.commits;
    await until('requests keep succeeding', () => ledger.acknowledged.commits > before + 20);
    isOver = true;
    assert.deepEqual(await load, []);
    assert.deepEqual(seen.wrong, []);
    assert.deepEqual(await check(client, target, ledger, { all: true }), { lost: [], torn: [] });
    assert.deepEqual(await checkServer(server.url), []);
    assert.deepEqual(await stopProcess(service), { code: 0, signal: null });
    console.log(
      `database stopped (${how}) twice: ${seen.answers} responses, ${seen.unavailable} of them 503, ${JSON.stringify(ledger.acknowledged)}, losses 0`,
    );
  });
