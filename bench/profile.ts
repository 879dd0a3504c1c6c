// Shows where an operation spends CPU time:
//   npm run bench:profile -- [--engine postgres] [--operation enrol] [--functions 25]
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cleanUp, freePorts } from '../server/test/support/process.ts';
import { startDriver } from './load/driver.ts';
import { operations } from './operations.ts';
import { startTarget } from './service.ts';
import { cpuOf, serversCpu } from './usage.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'postgres' },
    operation: { type: 'string', multiple: true },
    connections: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '4' },
    functions: { type: 'string', default: '0' },
    root: { type: 'string', default: join(import.meta.dirname, '..') },
  },
});

type Frame = { functionName: string; url: string; lineNumber: number };
type Profile = {
  nodes: { id: number; callFrame: Frame }[];
  samples: number[];
  timeDeltas: number[];
};

/** Uses the inspector protocol of a process started with --inspect. */
async function inspect(port: number) {
  const [page] = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
    webSocketDebuggerUrl: string;
  }[];
  const socket = new WebSocket(page?.webSocketDebuggerUrl ?? '');
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  let last = 0;
  const ask = (method: string, params = {}): Promise<unknown> =>
    new Promise((resolve) => {
      const id = ++last;
      const listen = ({ data }: MessageEvent) => {
        const response = JSON.parse(data);
        if (response.id !== id) return;
        socket.removeEventListener('message', listen);
        resolve(response.result);
      };
      socket.addEventListener('message', listen);
      socket.send(JSON.stringify({ id, method, params }));
    });
  return { ask, close: () => socket.close() };
}

function partOf({ functionName, url }: Frame): string {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(program)') return 'system calls and native code';
  if (functionName === '(idle)') return 'idle';
  const [, packageName] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (packageName) return packageName;
  const [, own] = /\/src\/(.+)\.ts$/.exec(url) ?? [];
  if (own)
    return `Lectern: ${own
      .split('/')
      .slice(0, own.startsWith('modules') ? 2 : 1)
      .join('/')}`;
  if (url.startsWith('node:')) {
    const [, area] = /^node:(?:internal\/)?(\w+)/.exec(url) ?? [];
    return `Node: ${area}`;
  }
  return url === '' ? 'compiled validators and serializers, built-ins' : url;
}

function sharesOf(profile: Profile, name: (frame: Frame) => string): [string, number][] {
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times = new Map<string, number>();
  for (const [index, id] of profile.samples.entries()) {
    const frame = frames.get(id);
    if (!frame || frame.functionName === '(idle)') continue;
    const key = name(frame);
    times.set(key, (times.get(key) ?? 0) + (profile.timeDeltas[index] ?? 0));
  }
  return [...times].sort(([, a], [, b]) => b - a);
}

const engine = values.engine === 'pglite' ? 'pglite' : 'postgres';
const [port = 0] = await freePorts(1);
const driver = startDriver();
const target = await startTarget({
  name: engine,
  engine,
  nodes: 1,
  root: values.root,
  sizes: { tenants: 0, users: 0, enrolments: 0 },
  sessions: 3_000,
  say: console.log,
  nodeArguments: [`--inspect=127.0.0.1:${port}`],
  fromSources: true,
});
const pid = target.nodes[0]?.child.pid ?? 0;
const folders = target.database?.folders ?? [];
try {
  const inspector = await inspect(port);
  await inspector.ask('Profiler.enable');
  await inspector.ask('Profiler.setSamplingInterval', { interval: 200 });
  for (const operation of operations) {
    if (values.operation && !values.operation.some((part) => operation.name.includes(part))) continue;
    const order = {
      dataset: target.dataset,
      operation: operation.name,
      origins: target.origins[operation.origin],
      connections: Number(values.connections),
      rate: null,
      byAutocannon: false,
    };
    await driver.load({ ...order, seconds: Number(values.seconds) });
    const [before, serverBefore] = [cpuOf(pid), serversCpu(folders)];
    const plain = await driver.load({ ...order, seconds: Number(values.seconds) });
    const rows = plain.answered * operation.rows;
    const service = ((cpuOf(pid) - before) * 1_000_000) / rows;
    const server = ((serversCpu(folders) - serverBefore) * 1_000_000) / rows;
    await inspector.ask('Profiler.start');
    await driver.load({ ...order, seconds: Number(values.seconds) });
    const { profile } = (await inspector.ask('Profiler.stop')) as { profile: Profile };
    const parts = sharesOf(profile, partOf);
    const total = parts.reduce((sum, [, time]) => sum + time, 0);
    console.log(
      `\n${operation.name}: ${Math.round(plain.perSecond * operation.rows)} rows/s, CPU per row: service ${service.toFixed(1)} µs, server ${server.toFixed(1)} µs${plain.firstWrong ? `, wrong ${plain.wrong}: ${plain.firstWrong}` : ''}`,
    );
    for (const [part, time] of parts.slice(0, 14))
      console.log(`  ${((time / total) * 100).toFixed(1).padStart(5)} %  ${part}`);
    if (values.functions === '0') continue;
    const where = ({ functionName, url, lineNumber }: Frame) =>
      `${functionName || '(anonymous)'} ${url.replace(/^.*\/(node_modules|src)\//, '')}:${lineNumber + 1}`;
    for (const [name, time] of sharesOf(profile, where).slice(0, Number(values.functions)))
      console.log(`    ${((time / total) * 100).toFixed(1).padStart(5)} %  ${name}`);
  }
  inspector.close();
} finally {
  driver.close();
  await target.stop();
  await cleanUp();
}
