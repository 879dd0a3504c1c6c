import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { ensureBuilt } from '../scripts/build.ts';
import { type Cluster, startCluster } from '../scripts/postgres-cluster.ts';
import type { Connection } from '../server/src/platform/db/engine.ts';
import { openPglite } from '../server/src/platform/db/pglite/pglite.ts';
import { send } from '../server/src/platform/db/postgres/wire.ts';
import { bootstrapKey, freePorts, runProcess, stopProcess } from '../server/test/support/process.ts';
import { until } from '../server/test/support/until.ts';
import { packCourse } from '../test/journeys/course-packages.ts';
import { benchEnrolments, benchUsers, courses, fill, type Sizes } from './fill.ts';
import { type Client, openClient } from './kill/client.ts';
import type { Dataset } from './operation.ts';

export const usersOfEach = 40;
const here = join(import.meta.dirname, '..');

export type Node = Awaited<ReturnType<typeof startNode>>;

/** The target of a measurement: one or more nodes of one version, on their own filled database. */
export type Target = {
  name: string;
  nodes: Node[];
  origins: Record<'api' | 'content', string[]>;
  dataset: Dataset;
  cluster: Cluster | null;
  folder: string;
  stop: () => Promise<void>;
};

export type TargetOptions = {
  name: string;
  engine: 'pglite' | 'postgres';
  nodes: number;
  /** The number of processes of each node. */
  workers?: number;
  /** The folder of the version to measure. */
  root: string;
  sizes: Sizes;
  sessions: number;
  /** The number of tenants that take turns sending requests. Each has `usersOfEach` users and enrolments. */
  spread?: number;
  say: (line: string) => void;
} & Launch;

type Launch = {
  nodeArguments?: string[];
  /** Runs the sources instead of the build, for a profile that shows file names. */
  fromSources?: boolean;
};

/** The Node.js arguments that a version's `npm start` uses. */
async function serveArguments(root: string, { nodeArguments = [], fromSources }: Launch): Promise<string[]> {
  if (root === here) await ensureBuilt();
  const quiet = '--disable-warning=ExperimentalWarning';
  const program = join(root, fromSources ? 'server/src/cli.ts' : 'dist/server/lectern.js');
  if (existsSync(program)) return [quiet, ...nodeArguments, program, 'serve'];
  // Versions before 2026-11-22 have no build.
  const preload = pathToFileURL(join(root, 'src/preload.ts')).href;
  return [quiet, '--import', preload, ...nodeArguments, join(root, 'src/main.ts')];
}

/** Starts a process of the version in `root`, and waits until it is ready. */
export async function startNode(root: string, env: Record<string, string>, launch: Launch = {}) {
  const [port, contentPort] = (await freePorts(2)) as [number, number];
  const serve = await serveArguments(root, launch);
  const began = performance.now();
  const process_ = runProcess(process.execPath, serve, {
    PORT: String(port),
    CONTENT_PORT: String(contentPort),
    BOOTSTRAP_KEY: bootstrapKey,
    LOG_LEVEL: 'warn',
    RATE_LIMIT: '0',
    ...env,
  });
  const [baseUrl, contentUrl] = [port, contentPort].map((number) => `http://127.0.0.1:${number}`) as [
    string,
    string,
  ];
  const isReady = async () => {
    const { exitCode } = process_.child;
    if (exitCode !== null) throw new Error(`The service ended:\n${process_.stdout()}${process_.stderr()}`);
    return fetch(`${baseUrl}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  await until('the service is ready', isReady, 180).catch((error: unknown) => {
    process_.child.kill();
    throw error;
  });
  return { ...process_, baseUrl, contentUrl, readyAfter: performance.now() - began };
}

/** Linux: a node's process and its workers. */
export function processesOf({ child }: Node): number[] {
  const pid = String(child.pid);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return [Number(pid), ...children.map(Number)];
}

/** Linux: seconds of CPU time that a process has used, including all of its threads. */
export function cpuOf(pid: number): number {
  const fields = statOf(String(pid));
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Linux: resident memory in MB. */
export function memoryOf(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

function statOf(pid: string): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
}

/**
 * Linux: seconds of CPU time that a PostgreSQL server has used: its postmaster with all current and former child
 * processes.
 */
export function serverCpu(cluster: Cluster): number {
  const [postmaster = ''] = readFileSync(join(cluster.data, 'postmaster.pid'), 'utf8').split('\n');
  const ofEnded = statOf(postmaster);
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.reduce(
    (sum, pid) => {
      try {
        return pid === postmaster || statOf(pid)[1] === postmaster ? sum + cpuOf(Number(pid)) : sum;
      } catch {
        return sum;
      }
    },
    (Number(ofEnded[13]) + Number(ofEnded[14])) / 100,
  );
}

export async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const connectionOf = (client: pg.ClientBase): Connection => ({
  query: (statement) => send(client, statement),
});

async function fillDatabase(options: TargetOptions, cluster: Cluster | null, folder: string): Promise<void> {
  const { sizes, say } = options;
  if (cluster) {
    const { url } = cluster;
    await onDatabase(url, (client) =>
      onDatabase(url, async (other) => {
        for (const one of [client, other]) await one.query('set session_replication_role = replica');
        await fill([connectionOf(client), connectionOf(other)], sizes, say);
        await client.query('vacuum analyze');
      }),
    );
    return;
  }
  const engine = await openPglite({ folder });
  await fill([engine], sizes, say);
  await engine.script('vacuum analyze');
  await engine.close();
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

/** Lets learners open a page of a real package. The learners are spread evenly across all tenants. */
async function openSessions(
  client: Client,
  baseUrl: string,
  tenants: Dataset[],
  count: number,
): Promise<void> {
  await inParallel(count, async (n) => {
    const { key, users, sessions } = tenants[n % tenants.length] as Dataset;
    const at = Math.floor(n / tenants.length);
    const { body } = await client.call('POST', `${baseUrl}/enrol/u${at % users}/phishing`, {}, key);
    const click = await client.call('GET', body.LaunchURL);
    const session = await client.call('POST', `${click.location}/session`);
    const { pathname, search } = new URL(body.LaunchURL);
    sessions[at] = {
      link: pathname + search,
      path: `/play/${session.body.Session}`,
      unit: Object.keys(session.body.Data)[0] ?? '',
    };
  });
}

async function importCourse(baseUrl: string): Promise<void> {
  const zip = await packCourse('phishing');
  const headers = { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/zip' };
  const reply = await fetch(`${baseUrl}/course/phishing/package`, {
    method: 'PUT',
    headers,
    body: readFileSync(zip),
  });
  if (!reply.ok) throw new Error(await reply.text());
}

/** The tenants that send the requests: `bench`, or `spread` other tenants if it is set. */
async function prepare(node: Node, { spread, sessions }: TargetOptions): Promise<Dataset> {
  const client = openClient(16);
  const asOperator = async (method: string, path: string, body: unknown) => {
    const response = await client.call(method, node.baseUrl + path, body, bootstrapKey);
    if (response.status >= 300) throw new Error(`${method} ${path} returned ${response.status}`);
    return response.body;
  };
  try {
    const run = `new-${Date.now().toString(36)}`;
    const shared = { run, courses };
    const tenants: Dataset[] = [];
    if (spread === undefined) {
      const { Secret } = await asOperator('POST', '/tenant/bench/key', { Name: 'bench' });
      tenants.push({ ...shared, key: Secret, users: benchUsers, enrolments: benchEnrolments, sessions: [] });
    }
    for (let n = 0; n < (spread ?? 0); n++) {
      const { Secret } = await asOperator('POST', `/tenant/tenant-${n}/key`, { Name: 'bench' });
      const firstEnrolment = benchEnrolments + n * usersOfEach;
      tenants.push({
        ...{ ...shared, key: Secret, users: usersOfEach, enrolments: usersOfEach, firstEnrolment },
        sessions: [],
      });
    }
    await asOperator('PUT', '/course/phishing', { Title: 'Phishing' });
    await importCourse(node.baseUrl);
    await asOperator('PUT', '/course/phishing/option/year', {});
    await openSessions(client, node.baseUrl, tenants, sessions);
    const [first] = tenants as [Dataset];
    return tenants.length === 1 ? first : { ...first, tenants };
  } finally {
    client.close();
  }
}

export async function startTarget(options: TargetOptions): Promise<Target> {
  const { name, engine, root, nodes: count } = options;
  const folder = await mkdtemp(join(tmpdir(), 'lectern-bench-'));
  const cluster = engine === 'postgres' ? await startCluster() : null;
  const env: Record<string, string> = { DATA_DIR: folder };
  if (cluster) env.DATABASE_URL = cluster.url;
  if ((options.workers ?? 1) > 1) env.WORKERS = String(options.workers);
  const nodes: Node[] = [];
  const stop = async () => {
    await Promise.all(nodes.map((node) => stopProcess(node)));
    await cluster?.remove();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    // Uses the migrations of this version. The data is inserted while no service is running.
    await stopProcess(await startNode(root, env));
    await fillDatabase(options, cluster, folder);
    for (let n = 0; n < count; n++) nodes.push(await startNode(root, env, options));
    const dataset = await prepare(nodes[0] as Node, options);
    const origins = {
      api: nodes.map(({ baseUrl }) => baseUrl),
      content: nodes.map(({ contentUrl }) => contentUrl),
    };
    return { name, nodes, origins, dataset, cluster, folder, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
