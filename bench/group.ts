// Measures the enrolment of a large group and its undo, as the console does them, on the embedded database and on
// PostgreSQL, while another tenant enrols single users: npm run bench:group -- [--people 5000]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster } from '../scripts/postgres-cluster.ts';
import { bootstrapKey, stopProcess } from '../server/test/support/process.ts';
import { startNode } from './service.ts';

const { values } = parseArgs({ options: { people: { type: 'string', default: '5000' } } });
const people = Number(values.people);
const root = join(import.meta.dirname, '..');
/** As in the console. */
const [rowsPerCall, callsAtOnce] = [2_000, 4];

type Line = { Status: number; LoginID: string; EnrollID: string };

function openClient(baseUrl: string, tenant: string) {
  return async (method: string, path: string, body?: unknown, type = 'application/json') => {
    const headers = {
      authorization: `Bearer ${bootstrapKey}`,
      tenant,
      ...(body === undefined ? {} : { 'content-type': type }),
      accept: type,
    };
    const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
    const reply = await fetch(baseUrl + path, { method, headers, body: text });
    const answer = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${answer}`);
    return answer;
  };
}

type Call = ReturnType<typeof openClient>;

const ndjson = 'application/x-ndjson';
const write = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');
const read = (text: string): Line[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

async function sendAll(call: Call, path: string, rows: readonly object[]): Promise<Line[]> {
  const lines: Line[] = [];
  for (let from = 0; from < rows.length; from += rowsPerCall)
    lines.push(...read(await call('POST', path, write(rows.slice(from, from + rowsPerCall)), ndjson)));
  return lines;
}

/** Several calls at a time, as the console sends them. */
async function sendEach(lines: readonly Line[], act: (line: Line) => Promise<unknown>): Promise<void> {
  const waiting = lines.values();
  const work = async () => {
    for (const line of waiting) await act(line);
  };
  await Promise.all(Array.from({ length: callsAtOnce }, work));
}

/** Enrols users of another tenant one after the other, and collects how long each call takes. */
function openOther(call: Call) {
  let isOver = false;
  let taken: number[] = [];
  const work = (async () => {
    for (let at = 0; !isOver; at++) {
      const began = performance.now();
      await call('POST', `/enrol/other-${at % 1000}/course`, {});
      taken.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return {
    take: () => {
      const sorted = taken.sort((one, other) => one - other);
      taken = [];
      return sorted;
    },
    end: () => {
      isOver = true;
      return work;
    },
  };
}

async function measure(engine: string, env: Record<string, string>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lectern-group-'));
  const node = await startNode(root, { ...env, DATA_DIR: dataDir });
  try {
    const { baseUrl } = node;
    const [call, other] = [openClient(baseUrl, 'large'), openClient(baseUrl, 'other')];
    for (const TenantID of ['large', 'other']) await call('POST', '/tenant', { TenantID });
    await call('PUT', '/course/course', { Title: 'Course', URL: 'https://course.example/' });
    await call('PUT', '/course/course/option/year', { Duration: 'P1Y' });
    const users = Array.from({ length: people }, (_, at) => ({ LoginID: `p${at}`, GroupName: 'Sales' }));
    await sendAll(call, '/user/bulk', users);
    await sendAll(
      other,
      '/user/bulk',
      Array.from({ length: 1000 }, (_, at) => ({ LoginID: `other-${at}` })),
    );
    const others = openOther(other);
    const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      others.take();
      const began = performance.now();
      const result = await work();
      const seconds = (performance.now() - began) / 1000;
      const waits = others.take();
      const at = (share: number) => waits[Math.floor((waits.length - 1) * share)]?.toFixed(0) ?? '–';
      console.log(`| ${[engine, name, seconds.toFixed(1), at(0.5), at(0.99), at(1)].join(' | ')} |`);
      return result;
    };
    await step('baseline', () => new Promise((resolve) => setTimeout(resolve, 5000)));
    const group = await step('read the group', async () =>
      read(await call('GET', '/user?GroupName=Sales', undefined, ndjson)),
    );
    const rows = group.map(({ LoginID }) => ({ LoginID, CourseID: 'course', DurationID: 'year' }));
    await step('plan', () => sendAll(call, '/enrol/bulk?Plan=true', rows));
    const lines = await step('enrol', () => sendAll(call, '/enrol/bulk', rows));
    const extensions = rows.map((row) => ({ ...row, IfEnrolled: 'extend' }));
    await step('plan an extension', () => sendAll(call, '/enrol/bulk?Plan=true', extensions));
    const made = lines.filter(({ Status }) => Status === 201);
    if (made.length !== people) throw new Error(`Only ${made.length} were enrolled.`);
    const withdraw = (query: string) => () =>
      sendEach(made, ({ LoginID, EnrollID }) =>
        call('PUT', `/enrolment/${LoginID}/${EnrollID}${query}`, { Withdrawn: true, IfUntouched: true }),
      );
    await step('plan the undo', withdraw('?Plan=true'));
    await step('undo', withdraw(''));
    await others.end();
  } finally {
    await stopProcess(node);
    await rm(dataDir, { recursive: true, force: true });
  }
}

console.log(
  `| database | ${people} people | seconds | calls of another tenant: p50 (ms) | p99 (ms) | max (ms) |`,
);
console.log('|---|---|---|---|---|---|');
await measure('embedded', {});
const cluster = await startCluster();
try {
  await measure('PostgreSQL', { DATABASE_URL: cluster.url });
} finally {
  await cluster.remove();
}
