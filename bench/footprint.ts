// Measures start-up time and idle memory: node scripts/run.js ../bench/footprint -- [--rounds 3]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster } from '../scripts/postgres-cluster.ts';
import { stopProcess } from '../server/test/support/process.ts';
import { median } from './median.ts';
import { startNode } from './service.ts';
import { cpuOf, memoryOf } from './usage.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    node: { type: 'string', default: '' },
    settleMilliseconds: { type: 'string', default: '10' },
    root: { type: 'string', default: join(import.meta.dirname, '..') },
  },
});
const rounds = Number(values.rounds);
const settleMilliseconds = Number(values.settleMilliseconds);

type Seen = { ready: number; cpu: number; atOnce: number; atRest: number };
const seen = new Map<string, Seen[]>();

/** Starts the service, waits until it is idle, and stops it. */
async function once(what: string, env: Record<string, string>): Promise<void> {
  const node = await startNode(values.root, env, { nodeArguments: values.node.split(' ').filter(Boolean) });
  const pid = node.child.pid as number;
  const [cpu, atOnce] = [cpuOf(pid), memoryOf(pid)];
  await new Promise((resolve) => setTimeout(resolve, settleMilliseconds * 1000));
  const all = seen.get(what) ?? [];
  all.push({ ready: node.readyAfter, cpu, atOnce, atRest: memoryOf(pid) });
  seen.set(what, all);
  await stopProcess(node);
}

for (let round = 0; round < rounds; round++) {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-footprint-'));
  const cluster = await startCluster();
  try {
    await once('PGlite, a new folder', { DATA_DIR: join(folder, 'embedded') });
    await once('PGlite, opened again', { DATA_DIR: join(folder, 'embedded') });
    const env = { DATA_DIR: join(folder, 'served'), DATABASE_URL: cluster.url };
    await once('PostgreSQL, an empty database', env);
    await once('PostgreSQL, opened again', env);
  } finally {
    await cluster.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

console.log(`Medians of ${rounds} starts; at rest: ${settleMilliseconds} s later.\n`);
console.log('| database | ready after s | CPU s | memory when ready MB | at rest MB |');
console.log('|---|---|---|---|---|');
for (const [what, all] of seen) {
  const of = (value: (one: Seen) => number) => median(all.map(value));
  const [ready, cpu] = [of((one) => one.ready / 1000).toFixed(2), of((one) => one.cpu).toFixed(2)];
  console.log(
    `| ${what} | ${ready} | ${cpu} | ${Math.round(of((one) => one.atOnce))} | ${Math.round(of((one) => one.atRest))} |`,
  );
}
