import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyServerDatabase, isCluster } from './server-database.ts';
import { until } from './until.ts';

const root = join(import.meta.dirname, '../../..');
/** The built command, as installed. */
export const lectern = join(root, 'dist/server/lectern.js');
export const bootstrapKey = 'a-key-of-the-operator-for-tests-only-0123456789';

/** The hint that each start prints until an operator has used a key or link. */
export const printedHint = /\nNo operator has signed in[\s\S]*?--name NAME\n\n/;

/** The operator's link as printed in a terminal. */
export const printedLink =
  /\nOpen this link to sign in as the operator. It works once, until (?<until>\S+):\n\n {2}(?<url>http\S+\/session\/sign-in\?token=\.[\w-]{43})\n\n/;

export type Environment = Record<string, string | undefined>;
export type Ended = { code: number | null; signal: NodeJS.Signals | null };

export type Running = {
  child: ChildProcess;
  env: Environment;
  baseUrl: string;
  contentUrl: string;
  stdout: () => string;
  stderr: () => string;
  exited: Promise<Ended>;
};

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/**
 * Ports of 127.0.0.1 that were free a moment ago. They are random, so that processes that look for ports at the same
 * time find different ones, and outside the range that the kernel uses for connections (32768 to 60999).
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(20_000, 32_768);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

const started = new Set<ChildProcess>();

/** Runs a program with only the environment variables that it needs. */
export function runProcess(program: string, args: string[], env: Environment, cwd = root) {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(program, args, {
    cwd,
    env: { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, ...env } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.add(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const exited = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      started.delete(child);
      resolve({ code, signal });
    });
  });
  return { child, exited, stdout: () => output.stdout, stderr: () => output.stderr };
}

/** Runs the command with the Node.js flags that `scripts/test.ts` sets to make it start faster. */
export function runLectern(args: readonly string[], env: Environment, cwd = root) {
  const flags = process.env.TEST_NODE_FLAGS?.split(' ') ?? [];
  return runProcess(process.execPath, [...flags, lectern, ...args], env, cwd);
}

/** The environment that injects a fault into a service process; see `inject.ts`. */
export function injected(fault: string, more: Environment = {}): Environment {
  const file = new URL('./inject.ts', import.meta.url).href;
  return {
    NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import ${file}`,
    INJECT: fault,
    ...more,
  };
}

/** Stops every process that this process started and that is still running. */
export async function endAll(): Promise<void> {
  await Promise.all(
    [...started].map(async (child) => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    }),
  );
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/**
 * Starts the real service in its own process. Returns once it listens and, if its log level allows, has
 * logged that it is ready.
 */
export async function startProcess(env: Environment): Promise<Running> {
  const [port, contentPort] = (
    env.PORT ? [Number(env.PORT), Number(env.CONTENT_PORT)] : await freePorts(2)
  ) as [number, number];
  const whole = { PORT: String(port), CONTENT_PORT: String(contentPort), ...env };
  const service = runLectern(['serve'], whole);
  const last = Number(env.OPERATIONS_PORT ?? port);
  let ended = false;
  void service.exited.then(() => {
    ended = true;
  });
  const listens = async () => {
    if (ended) throw new Error(`The service ended:\n${service.stdout()}${service.stderr()}`);
    return accepts(last);
  };
  // The first start in a run creates a database while other tests compete for CPU time.
  await until('the service listens', listens, 180);
  // The service prints its output for the operator after it listens and before this line.
  if (!env.LOG_LEVEL || env.LOG_LEVEL === 'info')
    await until('the expected line is logged', () => ended || service.stdout().includes('Lectern is ready'));
  const scheme = env.TLS_CERT ? 'https' : 'http';
  const [baseUrl, contentUrl] = [port, contentPort].map((number) => `${scheme}://127.0.0.1:${number}`) as [
    string,
    string,
  ];
  return { ...service, env: whole, baseUrl, contentUrl };
}

/** Stops the process as an operator would, and waits until it has exited. */
export async function stopProcess(
  running: Pick<Running, 'child' | 'exited'>,
  signal: NodeJS.Signals = 'SIGTERM',
) {
  running.child.kill(signal);
  return running.exited;
}

const folders: string[] = [];
const drops: (() => Promise<void>)[] = [];

/** Creates a temporary folder. `cleanUp` removes it. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-process-'));
  folders.push(folder);
  return folder;
}

/**
 * A data folder that all test files in this process copy. If `scripts/test.ts` names a folder for it, all
 * processes of the run copy it.
 */
let prepared: Promise<string> | null = null;

async function prepare(): Promise<string> {
  const shared = process.env.TEST_PREPARED;
  if (shared && existsSync(shared)) return shared;
  const folder = await fillFolder();
  if (!shared) return folder;
  // If another process has prepared the shared folder first, this process uses its own.
  return rename(folder, shared).then(
    () => shared,
    () => folder,
  );
}

async function fillFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-prepared-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const env = { DATA_DIR: folder, BOOTSTRAP_KEY: bootstrapKey };
  const service = await startProcess(env);
  const { code, signal } = await stopProcess(service);
  if (code !== 0)
    throw new Error(`The first service ended with ${code ?? signal}: ${service.stdout()}${service.stderr()}`);
  return folder;
}

/** The environment of a separate service that accepts `bootstrapKey`, on a copy of a data folder. */
export async function embeddedSettings(): Promise<Environment & { DATA_DIR: string }> {
  const folder = await temporaryFolder();
  prepared ??= prepare().catch((error: unknown) => {
    prepared = null;
    throw error;
  });
  // A synchronous copy takes 0.13 s of CPU time, and an asynchronous copy 0.62 s.
  cpSync(await prepared, folder, { recursive: true });
  return { DATA_DIR: folder };
}

/**
 * The environment of a separate service that accepts `bootstrapKey`. The service uses a copy of a migrated
 * database (on the server in TEST_DATABASE_URL) or of a data folder, because creating a new one takes
 * seconds.
 */
export async function databaseSettings(): Promise<Environment & { DATA_DIR: string }> {
  const serverUrl = process.env.TEST_DATABASE_URL;
  if (!serverUrl) return embeddedSettings();
  const folder = await temporaryFolder();
  // Imported only here, because scripts that start processes do not need the service's sources.
  const { migratedTemplate } = await import('./test-database.ts');
  const isCitus = await isCluster(serverUrl);
  const DATABASE_URL = await databaseFrom(serverUrl, isCitus ? undefined : await migratedTemplate(serverUrl));
  return { DATA_DIR: folder, DATABASE_URL, BOOTSTRAP_KEY: bootstrapKey };
}

async function databaseFrom(serverUrl: string, template?: string): Promise<string> {
  const { url, drop } = await emptyServerDatabase(serverUrl, template);
  drops.push(drop);
  return url;
}

/** The environment of a service whose first start creates everything, because the database or data folder is empty. */
export async function emptyDatabaseSettings(): Promise<Environment> {
  const serverUrl = process.env.TEST_DATABASE_URL;
  const DATA_DIR = await temporaryFolder();
  return serverUrl ? { DATA_DIR, DATABASE_URL: await databaseFrom(serverUrl) } : { DATA_DIR };
}

/** For `after`: stops all processes and removes their files. */
export async function cleanUp(): Promise<void> {
  await endAll();
  for (const drop of drops.splice(0)) await drop();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
}
