// Measures the interface over loopback, 64 connections, on PGlite and PostgreSQL: npm run bench -- [--seconds 2] [--runs 5]
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { find, startCluster } from '../scripts/postgres-cluster.ts';
import {
  bootstrapKey,
  cleanUp,
  startProcess,
  stopProcess,
  temporaryFolder,
} from '../test/support/process.ts';
import { onServer } from '../test/support/server-database.ts';
import { type Client, openClient } from './kill/client.ts';
import { median } from './median.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    runs: { type: 'string', default: '5' },
    engine: { type: 'string' },
  },
});
const [seconds, runs] = [Number(values.seconds), Number(values.runs)];
if (!(seconds > 0 && seconds <= 30 && Number.isInteger(runs) && runs > 0 && runs <= 20))
  throw new Error('--seconds must be from 1 to 30, and --runs from 1 to 20.');

const connections = 64;

type Figure = { perSecond: number; p99: number; errors: number };
type Row = { what: string; perSecond: number; 'p99 ms': number; errors: number };

type Requests = (serial: number) => { method: 'GET' | 'POST'; path: string; body?: string };

let serial = 0;

async function once(origin: string, key: string | null, next: Requests, expected: number): Promise<Figure> {
  const headers = {
    'content-type': 'application/json',
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  };
  const result = await autocannon({
    url: origin,
    connections,
    duration: seconds,
    requests: [{ headers, setupRequest: (request) => ({ ...request, ...next(++serial) }) }],
  });
  const answered = Object.entries(result.statusCodeStats ?? {});
  const others = answered.filter(([status]) => Number(status) !== expected);
  const errors = others.reduce((sum, [, { count = 0 }]) => sum + count, result.errors);
  return { perSecond: result.requests.average, p99: result.latency.p99, errors };
}

async function measure(what: string, ...args: Parameters<typeof once>): Promise<Row> {
  await once(...args);
  const figures: Figure[] = [];
  for (let run = 0; run < runs; run++) figures.push(await once(...args));
  const row = {
    what,
    perSecond: Math.round(median(figures.map(({ perSecond }) => perSecond))),
    'p99 ms': median(figures.map(({ p99 }) => p99)),
    errors: figures.reduce((sum, { errors }) => sum + errors, 0),
  };
  console.log(row);
  return row;
}

async function inLanes<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let index = 0;
  const lane = async () => {
    while (index < count) {
      const own = index++;
      results[own] = await work(own);
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  return results;
}

type Sitting = { link: string; path: string; number: number };

/** Learners whose pages are open, and more users than can be enrolled in the time. */
async function populate(client: Client, baseUrl: string, key: string, users: number): Promise<Sitting[]> {
  await inLanes(users, (n) => client.call('POST', `${baseUrl}/user`, { LoginID: `enrol-${n}` }, key));
  return inLanes(500, async (n) => {
    await client.call('POST', `${baseUrl}/user`, { LoginID: `sitting-${n}` }, key);
    const { body } = await client.call('POST', `${baseUrl}/enrol/sitting-${n}/web`, {}, key);
    const click = await client.call('GET', body.LaunchURL);
    const session = await client.call('POST', `${click.location}/session`);
    const { pathname, search } = new URL(body.LaunchURL);
    return { link: pathname + search, path: `/play/${session.body.Session}/commit`, number: 0 };
  });
}

function commitOf(sitting: Sitting): string {
  sitting.number += 1;
  const Data = {
    'lectern.completion': 'incomplete',
    'lectern.seconds': String(sitting.number),
    note: 'x'.repeat(500),
  };
  return JSON.stringify({ Number: sitting.number, UnitID: 'web', Data });
}

async function bench(name: string, databaseUrl: string | null): Promise<Row[]> {
  console.log(`\n${name}`);
  const env = { DATA_DIR: await temporaryFolder(), BOOTSTRAP_KEY: bootstrapKey, LOG_LEVEL: 'warn' };
  const unlimited = { ...env, RATE_LIMIT: '0' };
  const service = await startProcess(
    databaseUrl === null ? unlimited : { ...unlimited, DATABASE_URL: databaseUrl },
  );
  const { baseUrl, contentUrl } = service;
  const client = openClient(connections);
  const asOperator = (method: string, path: string, body: unknown) =>
    client.call(method, baseUrl + path, body, bootstrapKey);
  await asOperator('POST', '/tenant', { TenantID: 'bench' });
  const { body } = await asOperator('POST', '/tenant/bench/key', { Name: 'bench' });
  const key: string = body.Secret;
  await asOperator('PUT', '/course/web', { Title: 'Web', URL: 'https://course.example/' });
  await asOperator('PUT', '/course/web/option/standard', {});
  // A user is enrolled once; a run that uses them all up shows as errors (200 in place of 201).
  const users = Math.min(60_000, (databaseUrl === null ? 4_000 : 8_000) * seconds * (runs + 1));
  const sittings = await populate(client, baseUrl, key, users);
  const sittingOf = (n: number) => sittings[n % sittings.length] as Sitting;
  // The server does so by itself within a minute; until then its plans know nothing of the users made just now.
  if (databaseUrl !== null) await onServer(databaseUrl, 'vacuum analyze');
  let enrolled = 0;
  const rows = [
    await measure(
      'create user',
      baseUrl,
      key,
      (n) => ({ method: 'POST', path: '/user', body: `{"LoginID":"user-${n}","FirstName":"Lee"}` }),
      201,
    ),
    await measure(
      'enrol',
      baseUrl,
      key,
      () => ({ method: 'POST', path: `/enrol/enrol-${enrolled++}/web`, body: '{}' }),
      201,
    ),
    await measure('launch click', baseUrl, null, (n) => ({ method: 'GET', path: sittingOf(n).link }), 303),
    await measure(
      'commit',
      contentUrl,
      null,
      (n) => ({ method: 'POST', path: sittingOf(n).path, body: commitOf(sittingOf(n)) }),
      200,
    ),
  ];
  client.close();
  await stopProcess(service);
  await cleanUp();
  return rows.map((row) => ({ engine: name, ...row }));
}

/** What the server itself can do here: one-row inserts, each a transaction, from 64 connections. */
async function pgbench(url: string): Promise<void> {
  const script = join(await temporaryFolder(), 'insert.sql');
  await writeFile(
    script,
    'insert into pgbench_history (tid, bid, aid, delta, mtime) values (1, 1, 1, 1, now());',
  );
  const load = ['-n', '-c', '64', '-j', '2', '-T', String(seconds * 2), '-M', 'prepared', '-f', script];
  execFileSync(find('pgbench'), ['-i', '-q', url], { stdio: 'pipe' });
  const text = execFileSync(find('pgbench'), [...load, url], { encoding: 'utf8', stdio: 'pipe' });
  console.log(`pgbench, one insert a transaction, 64 clients: ${/tps = (\d+)/.exec(text)?.[1]}/s`);
  await cleanUp();
}

console.log(
  `${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`,
);
const rows: Row[] = [];
if (values.engine !== 'postgres') rows.push(...(await bench('PGlite', null)));
if (values.engine !== 'pglite') {
  const server = await startCluster();
  try {
    rows.push(...(await bench(server.version, server.url)));
    await pgbench(server.url);
  } finally {
    await server.remove();
  }
}
console.log(
  `\nMedian of ${runs} runs of ${seconds} s, ${connections} connections, the load generator beside the service:`,
);
console.table(rows);
