import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { ensureBuilt } from '../scripts/build.ts';
import type { Connection } from '../server/src/db/engine/engine.ts';
import { openPglite } from '../server/src/db/engine/pglite.ts';
import { send } from '../server/src/db/engine/wire.ts';
import { bootstrapKey, freePorts, runProcess, stopProcess } from '../server/test/support/process.ts';
import { until } from '../server/test/support/until.ts';
import { packCourse } from '../test/journeys/course-packages.ts';
import {
  bytesPerEnrolment,
  type Database,
  databaseOfOwnServer,
  distributedDatabase,
  onDatabase,
} from './database.ts';
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
  /** Null on the embedded engine. */
  database: Database | null;
  folder: string;
  stop: () => Promise<void>;
};

export type TargetOptions = {
  name: string;
  engine: 'pglite' | 'postgres';
  /** The URL of a Citus coordinator, if the database is to be distributed. */
  coordinator?: string | undefined;
  nodes: number;
  /** The folder of the version to measure. */
  root: string;
  sizes: Sizes;
  sessions: number;
  /** The number of tenants that take turns sending requests. Each has `usersOfEach` users and enrolments. */
  spread?: number;
  /** More settings of the service. */
  env?: Record<string, string>;
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
  const program = join(root, fromSources ? 'server/src/cli/cli.ts' : 'dist/server/lectern.js');
  return [quiet, ...nodeArguments, program, 'serve'];
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

/** Linux: a node's process and its children. */
export function processesOf({ child }: Node): number[] {
  const pid = String(child.pid);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return [Number(pid), ...children.map(Number)];
}

const connectionOf = (client: pg.ClientBase): Connection => ({
  query: (statement) => send(client, statement),
});

async function fillDatabase(
  options: TargetOptions,
  database: Database | null,
  folder: string,
): Promise<void> {
  const { sizes, say } = options;
  if (database) {
    const { url } = database;
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
      page: new URL(click.location ?? '', baseUrl).pathname,
      file: `${session.body.ContentPath}scripts/course.js`,
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
  const { name, engine, coordinator, root, nodes: count } = options;
  const folder = await mkdtemp(join(tmpdir(), 'lectern-bench-'));
  const onServer = () => (coordinator ? distributedDatabase(coordinator) : databaseOfOwnServer());
  const database = engine === 'postgres' ? await onServer() : null;
  const env: Record<string, string> = { ...options.env, DATA_DIR: folder };
  if (database) env.DATABASE_URL = database.url;
  const nodes: Node[] = [];
  const stop = async () => {
    await Promise.all(nodes.map((node) => stopProcess(node)));
    await database?.remove();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    // Uses the migrations of this version. The data is inserted while no service is running.
    await stopProcess(await startNode(root, env));
    await fillDatabase(options, database, folder);
    if (database && !coordinator)
      options.say(
        `${name}: ${(await bytesPerEnrolment(database.url)).toFixed(0)} bytes per enrolment with its event`,
      );
    for (let n = 0; n < count; n++) nodes.push(await startNode(root, env, options));
    const dataset = await prepare(nodes[0] as Node, options);
    const origins = {
      api: nodes.map(({ baseUrl }) => baseUrl),
      content: nodes.map(({ contentUrl }) => contentUrl),
    };
    return { name, nodes, origins, dataset, database, folder, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
