import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { check } from '../../bench/kill/check.ts';
import { openClient } from '../../bench/kill/client.ts';
import { checkServer } from '../../bench/kill/consistency.ts';
import { emptyLedger } from '../../bench/kill/ledger.ts';
import { runLearners } from '../../bench/kill/load.ts';
import { prepareTarget } from '../../bench/kill/rounds.ts';
import { packFolder } from '../src/platform/files/pack-folder.ts';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  type Environment,
  emptyDatabaseSettings,
  freePorts,
  printedLink,
  type Running,
  runLectern,
  startProcess,
  stopProcess,
  temporaryFolder,
} from './support/process.ts';
import { relayTo } from './support/relay.ts';
import { until } from './support/until.ts';

after(cleanUp);
const skip = !process.env.TEST_DATABASE_URL && 'several workers need a server; runs with --postgres';
const key = { authorization: `Bearer ${bootstrapKey}` };

// biome-ignore lint/suspicious/noExplicitAny: lines of the log
type Line = any;

const linesOf = ({ stdout }: Running): Line[] =>
  stdout()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

/** The process IDs of the workers, in the order in which they began to serve. */
const workersOf = (service: Running): number[] =>
  linesOf(service)
    .filter(({ msg }) => msg === 'a worker is ready')
    .map(({ pid }) => pid);

async function startWorkers(env: Environment = {}): Promise<Running> {
  return startProcess({ ...(await databaseSettings()), WORKERS: '2', ...env });
}

/** Each call uses a new connection. The workers take turns accepting connections. */
function callOnNewConnection(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { ...headers, connection: 'close' }, agent: false });
    sent.on('error', reject).on('response', (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        body += part;
      });
      response.on('error', reject).on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    sent.end();
  });
}

/** Starts a service that must fail to start. Returns what it prints. */
async function refused(env: Environment): Promise<{ stderr: string; stdout: string }> {
  const service = runLectern(['serve'], { DATA_DIR: await temporaryFolder(), WORKERS: '2', ...env });
  assert.deepEqual(await service.exited, { code: 1, signal: null });
  return { stderr: service.stderr(), stdout: service.stdout() };
}

const valueIn = (metrics: string, series: string) =>
  Number(
    metrics
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length + 1),
  );

test('a configuration with several workers on the embedded database is rejected with a reason and advice', async () => {
  const { stderr } = await refused({});
  assert.match(stderr, /^WORKERS: .*embedded database, which only one process can open.*Set DATABASE_URL/);
});

test('workers share the ports, the log and the metrics, and the operator sees each start-up message once', {
  skip,
}, async () => {
  const [operations] = await freePorts(1);
  const env = { ...(await emptyDatabaseSettings()), WORKERS: '2', OPERATIONS_PORT: String(operations) };
  const service = await startProcess(env);
  const out = service.stdout();
  const count = (text: RegExp) => [...out.matchAll(text)].length;
  assert.equal(count(/shown only once:/g), 1);
  assert.equal(count(new RegExp(printedLink, 'g')), 1);
  assert.equal(count(/"migrated the database"/g), 1);
  assert.equal(count(/"Lectern is ready"/g), 1);
  assert.equal(count(/"created the key ring"/g), 1);
  assert.equal(new Set(workersOf(service)).size, 2);

  const secret = /(lectern_[\w-]{43})/.exec(out)?.[1] ?? '';
  const headers = { authorization: `Bearer ${secret}` };
  const read = async () => (await callOnNewConnection(`http://127.0.0.1:${operations}/metrics`)).body;
  for (let call = 0; call < 40; call++) await callOnNewConnection(`${service.baseUrl}/tenant`, headers);
  const metrics = await read();
  const series = 'lectern_http_request_seconds_count{origin="api",method="GET",route="/tenant",status="200"}';
  assert.equal(valueIn(metrics, series), 40);
  assert.equal(valueIn(metrics, 'lectern_workers'), 2);
  assert.equal(valueIn(metrics, 'lectern_worker_replacements_total'), 0);
  assert.equal(
    valueIn(metrics, 'lectern_pool_slots{pool="api"}'),
    2_000,
    'the limit is divided among the workers, and the metric shows the sum',
  );
  assert.equal(
    valueIn(metrics, 'lectern_figures_up{group="disk"}'),
    1,
    'metrics of the shared disk are not summed',
  );
  assert.ok(valueIn(metrics, 'process_start_time_seconds') > 1e9);
  assert.equal([...metrics.matchAll(/^# TYPE lectern_workers /gm)].length, 1);
  const requests = linesOf(service).filter(({ msg, route }) => msg === 'request' && route === '/tenant');
  const shares = [...Map.groupBy(requests, ({ worker }) => worker).values()].map(({ length }) => length);
  assert.ok(
    shares.length === 2 && Math.min(...shares) >= 10,
    `the workers got ${shares.join(' and ')} of 40 calls`,
  );
  for (const path of ['/health/live', '/health/ready'])
    assert.equal((await callOnNewConnection(`http://127.0.0.1:${operations}${path}`)).status, 200);
  assert.deepEqual(await stopProcess(service), { code: 0, signal: null });
  assert.doesNotMatch(service.stdout(), /"level":"(warn|error)"/);
});

test('a port in use is reported in one sentence', { skip }, async () => {
  const service = await startWorkers();
  const { PORT, CONTENT_PORT } = service.env;
  const { stderr, stdout } = await refused({ ...(await databaseSettings()), PORT, CONTENT_PORT });
  assert.match(stderr, /^Port \d+ of 127\.0\.0\.1 is in use\. .*\n$/);
  assert.doesNotMatch(stdout, /Lectern is ready/);
  await stopProcess(service);
});

test('each worker finishes its requests in progress when the primary receives SIGTERM', {
  skip,
}, async () => {
  const service = await startWorkers();
  const pids = workersOf(service);
  const file = join(await temporaryFolder(), 'course.zip');
  await packFolder(join(import.meta.dirname, '../../courses/phishing'), file);
  const zip = await readFile(file);
  const half = zip.length >> 1;
  const uploads = [];
  for (const course of ['one', 'two', 'three', 'four']) {
    await fetch(`${service.baseUrl}/course/${course}`, {
      method: 'PUT',
      headers: { ...key, 'content-type': 'application/json' },
      body: JSON.stringify({ Title: course }),
    });
    const sent = request(`${service.baseUrl}/course/${course}/package`, {
      method: 'PUT',
      agent: new Agent(),
      headers: { ...key, 'content-type': 'application/zip', 'content-length': zip.length },
    });
    const status = new Promise<number | undefined>((resolve, reject) => {
      sent.on('error', reject).on('response', (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      });
    });
    sent.write(zip.subarray(0, half));
    uploads.push({ sent, status });
  }
  const scratch = join(String(service.env.DATA_DIR), 'scratch');
  await until('the uploads have begun', async () => (await readdir(scratch)).length >= 4);
  service.child.kill('SIGTERM');
  const refuses = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(Number(service.env.PORT), '127.0.0.1', () => {
        socket.destroy();
        resolve(false);
      }).on('error', () => resolve(true));
    });
  await until('new connections are refused', refuses);
  for (const { sent } of uploads) sent.end(zip.subarray(half));
  assert.deepEqual(await Promise.all(uploads.map(({ status }) => status)), [201, 201, 201, 201]);
  assert.deepEqual(await service.exited, { code: 0, signal: null });
  for (const pid of pids) assert.throws(() => process.kill(pid, 0), 'no worker is left');
});

test('a second SIGTERM ends the primary and its workers immediately', { skip }, async () => {
  const service = await startWorkers({ DRAIN_SECONDS: '30' });
  const pids = workersOf(service);
  service.child.kill('SIGTERM');
  await until(
    'the service is stopping',
    async () => (await callOnNewConnection(`${service.baseUrl}/health/ready`)).status === 503,
  );
  service.child.kill('SIGTERM');
  assert.deepEqual(await service.exited, { code: 1, signal: null });
  await until('the workers are gone', () =>
    pids.every((pid) => {
      try {
        return !process.kill(pid, 0);
      } catch {
        return true;
      }
    }),
  );
});

test('a worker that is killed under load is replaced, no acknowledged write is lost, and no counter decreases', {
  skip,
}, async () => {
  const service = await startWorkers();
  const client = openClient(24);
  const ledger = emptyLedger();
  const target = await prepareTarget(client, service.baseUrl);
  const state = { isOver: false };
  const load = runLearners(target, ledger, { client, concurrency: 24, over: () => state.isOver });
  const commits = async () =>
    [
      ...(await callOnNewConnection(`${service.baseUrl}/metrics`)).body.matchAll(
        /_seconds_count\{.*commit".* (\d+)$/gm,
      ),
    ]
      .map(([, count]) => Number(count))
      .reduce((sum, count) => sum + count, 0);
  for (let kills = 1; kills <= 3; kills++) {
    const wanted = ledger.acknowledged.commits + 50;
    await until('some requests have succeeded', () => ledger.acknowledged.commits > wanted);
    const counted = await commits();
    assert.ok(counted > 0);
    process.kill(workersOf(service).at(-1) ?? 0, 'SIGKILL');
    await until('another worker serves', () => workersOf(service).length === 2 + kills);
    const after = await commits();
    assert.ok(after >= counted, `the counter shows ${after} commits after it showed ${counted}`);
  }
  state.isOver = true;
  assert.deepEqual(await load, []);
  assert.deepEqual(await check(client, target, ledger, { all: true }), { lost: [], torn: [] });
  assert.deepEqual(await checkServer(String(service.env.DATABASE_URL)), []);
  const { body } = await callOnNewConnection(`${service.baseUrl}/metrics`);
  assert.equal(valueIn(body, 'lectern_worker_replacements_total'), 3);
  assert.equal(valueIn(body, 'lectern_workers'), 2);
  const ended = linesOf(service).filter(({ msg }) => msg.startsWith('a worker exited unexpectedly'));
  assert.deepEqual(
    ended.map(({ ended }) => ended),
    ['SIGKILL', 'SIGKILL', 'SIGKILL'],
  );
  client.close();
  assert.deepEqual(await stopProcess(service), { code: 0, signal: null });
});

test('a worker that is asked to stop is replaced, and the service exits and gives the reason if no worker can start', {
  skip,
}, async () => {
  const env = await databaseSettings();
  const database = new URL(env.DATABASE_URL ?? '');
  const between = await relayTo({ host: database.hostname, port: Number(database.port || 5432) });
  database.host = `127.0.0.1:${between.port}`;
  const service = await startProcess({ ...env, DATABASE_URL: database.href, WORKERS: '2' });
  process.kill(workersOf(service)[0] ?? 0, 'SIGTERM');
  await until('another worker serves', () => workersOf(service).length === 3);
  assert.ok(linesOf(service).some(({ msg }) => msg === 'a worker was stopped and will be replaced'));
  await between.cut();
  for (const pid of workersOf(service).slice(1)) process.kill(pid, 'SIGKILL');
  assert.deepEqual(await service.exited, { code: 1, signal: null });
  assert.match(service.stderr(), /^The database does not respond .* check DATABASE_URL\.\n$/);
});

test('a limit per minute applies to all workers together', { skip }, async () => {
  const service = await startWorkers({ ANONYMOUS_RATE_LIMIT: '60' });
  let known = 0;
  for (let round = 0; round < 40; round++) {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => callOnNewConnection(`${service.baseUrl}/user`)),
    );
    known += answers.filter(({ status }) => status === 401).length;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.ok(known >= 55 && known <= 85, `${known} of 160 calls were counted as within 60 a minute`);
  await stopProcess(service);
});
