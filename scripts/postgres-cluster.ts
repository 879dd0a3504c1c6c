import { spawnSync } from 'node:child_process';
import { chownSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

export type Cluster = {
  url: string;
  folder: string;
  /** `immediate` is a crash: the server recovers at the next start. */
  stop: (mode?: 'fast' | 'immediate') => void;
  start: () => void;
  remove: () => void;
};

function findBinaries(): string {
  const debian = globSync('/usr/lib/postgresql/*/bin').sort((a, b) =>
    a.localeCompare(b, 'en', { numeric: true }),
  );
  const folders = [...debian.reverse(), ...(process.env.PATH ?? '').split(delimiter)];
  const found = folders.find((folder) => globSync(join(folder, 'initdb')).length > 0);
  if (!found) throw new Error('PostgreSQL is not installed. Install it (apt-get install postgresql).');
  return found;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** A PostgreSQL server of its own with its usual durability, on a free port of 127.0.0.1; root runs it as `postgres`. */
export async function startCluster(): Promise<Cluster> {
  const binaries = findBinaries();
  const folder = mkdtempSync(join(tmpdir(), 'lectern-postgres-'));
  const data = join(folder, 'data');
  const port = await freePort();
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    const user = (flag: string) => Number(spawnSync('id', [flag, 'postgres']).stdout.toString());
    chownSync(folder, user('-u'), user('-g'));
  }
  const run = (program: string, ...args: string[]) => {
    const command = [join(binaries, program), ...args];
    const [name = '', ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    const { status, stderr } = spawnSync(name, rest, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
  };
  const log = join(folder, 'log');
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c max_connections=200`;
  const start = () => run('pg_ctl', 'start', '-w', '-D', data, '-l', log, '-o', options);
  const stop = (mode: 'fast' | 'immediate' = 'fast') => run('pg_ctl', 'stop', '-w', '-D', data, '-m', mode);
  run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8');
  start();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return { url, folder, start, stop, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
