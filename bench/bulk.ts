// Measures the rows per second and the peak memory of bulk calls on the embedded database and on PostgreSQL:
//   npm run bench:bulk [ROWS …]
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ensureBuilt } from '../scripts/build.ts';
import { startCluster } from '../scripts/postgres-cluster.ts';

await ensureBuilt();
const sizes = process.argv.slice(2).map(Number);
if (sizes.length === 0) sizes.push(10_000, 100_000);
const key = randomBytes(32).toString('hex');

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

async function startLectern(env: Record<string, string>) {
  const [port, contentPort] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, [join(import.meta.dirname, '../dist/server/lectern.js'), 'serve'], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      CONTENT_PORT: String(contentPort),
      BOOTSTRAP_KEY: key,
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  for (let time = 0; time < 600; time++) {
    if (child.exitCode !== null) throw new Error('The service did not start.');
    if (
      await fetch(`${url}/health/ready`).then(
        (reply) => reply.ok,
        () => false,
      )
    )
      return { child, url };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The service is not ready after a minute.');
}

async function call(url: string, method: string, path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, tenant: 'bench', 'content-type': 'application/json' };
  const reply = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(await reply.text());
}

/** Linux: peak resident memory since the last reset, in MB. */
function peakMemory({ pid }: ChildProcess): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

const rowsOf = {
  '/user/bulk': (id: string) => ({
    LoginID: id,
    FirstName: 'Lee',
    LastName: 'Learner',
    Email: `${id}@mail.example`,
  }),
  '/enrol/bulk': (id: string) => ({ LoginID: id, CourseID: 'course', Reference: 'order 4711' }),
};

async function* lines(prefix: string, count: number, row: (id: string) => object) {
  for (let at = 0; at < count; at += 100) {
    const part = Array.from({ length: Math.min(100, count - at) }, (_, n) => row(`${prefix}-${at + n}`));
    yield Buffer.from(part.map((one) => `${JSON.stringify(one)}\n`).join(''));
  }
}

async function measure(engine: string, child: ChildProcess, url: string, count: number): Promise<void> {
  for (const [path, row] of Object.entries(rowsOf)) {
    writeFileSync(`/proc/${child.pid}/clear_refs`, '5');
    const began = performance.now();
    const reply = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, tenant: 'bench', 'content-type': 'application/x-ndjson' },
      body: Readable.toWeb(Readable.from(lines(`u${count}`, count, row))) as ReadableStream,
      duplex: 'half',
    } as RequestInit);
    let created = 0;
    for await (const text of (reply.body as ReadableStream).pipeThrough(new TextDecoderStream()))
      created += text.split('"Status":201').length - 1;
    const seconds = (performance.now() - began) / 1000;
    // A status that is split across two chunks is not counted, so the count can be up to 2 % too low.
    if (created < count * 0.98) throw new Error(`Only ${created} of ${count} rows were created.`);
    const figures = [engine, path, count, Math.round(count / seconds), seconds.toFixed(1), peakMemory(child)];
    console.log(`| ${figures.join(' | ')} |`);
  }
}

async function run(engine: string, env: Record<string, string>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lectern-bench-'));
  const { child, url } = await startLectern({ ...env, DATA_DIR: dataDir });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  try {
    await call(url, 'POST', '/tenant', { TenantID: 'bench' });
    await call(url, 'PUT', '/course/course', { Title: 'Course', URL: 'https://course.example/' });
    await call(url, 'PUT', '/course/course/option/year', { Duration: 'P1Y' });
    for (const count of sizes) await measure(engine, child, url, count);
  } finally {
    child.kill();
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  }
}

console.log('| database | call | rows | rows/s | seconds | peak memory of the service, MB |');
console.log('|---|---|---|---|---|---|');
await run('PGlite', {});
const cluster = await startCluster();
try {
  await run('PostgreSQL', { DATABASE_URL: cluster.url });
} finally {
  await cluster.remove();
}
