import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePorts } from '../server/test/support/process.ts';

export type Cluster = {
  url: string;
  /** The data directory. */
  data: string;
  version: string;
  /** The cluster's own folder, which contains all of its files. */
  folder: string;
  /**
   * Stops the server. `kill` (SIGKILL to the postmaster) and `immediate` act like a crash; `fast` is orderly.
   */
  crash: (how: 'kill' | 'immediate' | 'fast') => Promise<void>;
  start: () => Promise<void>;
  remove: () => Promise<void>;
};

export function find(program: string): string {
  const installed = globSync(`/usr/lib/postgresql/*/bin/${program}`).sort();
  return installed.at(-1) ?? program;
}

/** PostgreSQL refuses to run as root, so root starts it as another user. */
export function owner(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody'])
    try {
      const [uid, gid] = ['-u', '-g'].map((flag) =>
        Number(execFileSync('id', [flag, name], { stdio: 'pipe' })),
      );
      if (uid !== undefined && gid !== undefined) return { uid, gid };
    } catch {}
  throw new Error(
    'PostgreSQL cannot run as root, and neither the user "postgres" nor the user "nobody" exists.',
  );
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Starts a temporary PostgreSQL cluster on a free port of 127.0.0.1. Unless `settings` say otherwise, it is
 * as durable as a normal server.
 */
export async function startCluster(
  parent = tmpdir(),
  settings: Readonly<Record<string, string>> = {},
): Promise<Cluster> {
  const who = owner();
  const folder = await mkdtemp(join(parent, 'lectern-cluster-'));
  if (who.uid !== undefined && who.gid !== undefined) chownSync(folder, who.uid, who.gid);
  const data = join(folder, 'data');
  try {
    const options = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'];
    execFileSync(find('initdb'), options, { ...who, cwd: folder, stdio: 'pipe' });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new Error('initdb failed. Install the PostgreSQL server (apt-get install postgresql).', {
      cause: error,
    });
  }
  const server = await serverIn(folder, data, settings);
  await server.start();
  return {
    ...server,
    folder,
    version: execFileSync(find('postgres'), ['--version'], { encoding: 'utf8' }).trim(),
    remove: async () => {
      await server.crash('fast');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A server for this data directory on a free port of 127.0.0.1, not started yet. */
async function serverIn(folder: string, data: string, settings: Readonly<Record<string, string>>) {
  const who = owner();
  const [port = 0] = await freePorts(1);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | null = null;

  const start = async () => {
    const end = performance.now() + 60_000;
    // After a postmaster is killed, its children still use its shared memory for a moment. Until they exit, a
    // new postmaster cannot start.
    while (performance.now() < end) {
      if (!server || server.exitCode !== null || server.signalCode !== null) {
        const set = Object.entries({ max_connections: '200', ...settings }).flatMap(([name, value]) => [
          '-c',
          `${name}=${value}`,
        ]);
        const args = ['-D', data, '-p', String(port), '-k', folder, '-h', '127.0.0.1', ...set];
        server = spawn(find('postgres'), args, { ...who, cwd: folder, stdio: 'ignore' });
      }
      if (await answers(url)) return;
      await pause(50);
    }
    throw new Error('The PostgreSQL server did not start within a minute.');
  };
  const end = async (signal: NodeJS.Signals) => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill(signal);
    await gone;
  };
  return {
    url,
    data,
    start,
    crash: (how: 'kill' | 'immediate' | 'fast') =>
      end(({ kill: 'SIGKILL', immediate: 'SIGQUIT', fast: 'SIGINT' } as const)[how]),
  };
}
