import { spawn } from 'node:child_process';
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { until } from '../../server/test/support/until.ts';

export type Worker = { host: string; port: number };

/** Returns the first column of the first row. */
export async function ask(url: string, text: string, values: unknown[] = []): Promise<unknown> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query({ text, values, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

/** The worker that has the rows of this tenant. */
export async function workerOf(databaseUrl: string, tenantId: string): Promise<Worker> {
  const found = await ask(
    databaseUrl,
    `select json_build_object('host', node.nodename, 'port', node.nodeport) from pg_dist_placement placement
      join pg_dist_node node on node.groupid = placement.groupid
      where placement.shardid = get_shard_id_for_distribution_column('"user"', $1::text)`,
    [tenantId],
  );
  return found as Worker;
}

export function urlOf(databaseUrl: string, { host, port }: Worker): string {
  const url = new URL(databaseUrl);
  url.hostname = host;
  url.port = String(port);
  return url.href;
}

async function postmasterOf(workerUrl: string): Promise<{ pid: number; data: string }> {
  const data = String(await ask(workerUrl, 'show data_directory'));
  return { data, pid: Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]) };
}

/** Linux: stops all processes of the worker, so that it accepts connections and answers nothing. Returns how to go on. */
export async function hangWorker(workerUrl: string): Promise<() => void> {
  const { pid } = await postmasterOf(workerUrl);
  // The first process is stopped first, so that it starts no more.
  process.kill(pid, 'SIGSTOP');
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  const signal = (name: NodeJS.Signals) => {
    for (const each of [pid, ...children])
      try {
        process.kill(each, name);
      } catch {
        // It has ended in the meantime.
      }
  };
  signal('SIGSTOP');
  return () => signal('SIGCONT');
}

/** Linux, on the worker's machine: kills the worker. Returns a function that starts it again as its owner. */
export async function killWorker(workerUrl: string): Promise<() => Promise<void>> {
  const { data, pid } = await postmasterOf(workerUrl);
  const program = readlinkSync(`/proc/${pid}/exe`);
  const [, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  const { uid, gid } = statSync(`/proc/${pid}`);
  process.kill(pid, 'SIGKILL');
  return async () => {
    const isUp = () =>
      ask(workerUrl, 'select true').then(
        () => true,
        () => false,
      );
    // It cannot start until the processes of the killed server have noticed and ended.
    const start = async () => {
      if (await isUp()) return true;
      // In this process's home folder, its owner could not look for certificates, and no connection would open.
      const env = { ...process.env, HOME: data };
      spawn(program, args, { uid, gid, cwd: data, env, stdio: 'ignore', detached: true }).unref();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return isUp();
    };
    await until('the worker answers', start, 120);
  };
}
