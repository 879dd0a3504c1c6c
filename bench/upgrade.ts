// Upgrades a large database while clients and learners keep working, and measures how long their requests wait:
//   npm run bench:upgrade -- [--from REV] [--rows 1000000] [--rate 50]
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../scripts/build.ts';
import { cleanUp, stopProcess } from '../server/test/support/process.ts';
import { checkOut } from './check-out.ts';
import { onDatabase } from './database.ts';
import { benchEnrolments, benchUsers } from './fill.ts';
import { openClient } from './kill/client.ts';
import { operationNamed, requestOf } from './operations.ts';
import { type Node, startNode, startTarget, type Target } from './service.ts';

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: 'f43c2e3f' },
    rows: { type: 'string', default: '1000000' },
    rate: { type: 'string', default: '50' },
  },
});
const [rows, rate] = [Number(values.rows), Number(values.rate)];
if (!(Number.isInteger(rows) && rows >= benchEnrolments && rows <= 100_000_000))
  throw new Error(`--rows, the number of enrolments, must be from ${benchEnrolments} to 100,000,000.`);
if (!(Number.isInteger(rate) && rate >= 1 && rate <= 1_000))
  throw new Error('--rate, the requests per second, must be from 1 to 1000.');
const neededBytes = rows * 3_000 + 1e9;
const { bavail, bsize } = statfsSync(tmpdir());
if (bavail * bsize < neededBytes)
  throw new Error(`${rows} enrolments need ${Math.round(neededBytes / 1e9)} GB of disk in ${tmpdir()}.`);

const say = (line: string) => console.log(`  ${line}`);
const names = ['enrol', 'create user', 'read enrolment', 'commit'];

/** The milliseconds that each request took, and what was wrong with its response. */
type Sent = { operation: string; phase: string; milliseconds: number; wrong: string | null };

/** Sends the operations in turn at a fixed rate, without waiting for responses, until `stop` is called. */
function sendTraffic(target: Target, first: Node) {
  const client = openClient(256);
  const sent: Sent[] = [];
  const pending = new Set<Promise<void>>();
  const state = { node: first, phase: 'before', ended: false };

  async function sendOne(serial: number): Promise<void> {
    const operation = operationNamed(names[serial % names.length] as string);
    const { method, path, body, key } = requestOf(
      operation,
      target.dataset,
      Math.floor(serial / names.length),
    );
    const origin = operation.origin === 'api' ? state.node.baseUrl : state.node.contentUrl;
    const { phase } = state;
    const began = performance.now();
    const wrong = await client.call(method, origin + path, body && JSON.parse(body), key).then(
      ({ status, body }) =>
        status === operation.expected ? null : `${status} ${JSON.stringify(body).slice(0, 200)}`,
      (error: Error) => error.message,
    );
    sent.push({ operation: operation.name, phase, milliseconds: performance.now() - began, wrong });
  }

  const ended = (async () => {
    const began = performance.now();
    for (let serial = 0; !state.ended; serial++) {
      const one = sendOne(serial);
      pending.add(one);
      void one.then(() => pending.delete(one));
      const wait = began + ((serial + 1) * 1_000) / rate - performance.now();
      if (wait > 0) await pause(wait);
    }
    await Promise.all(pending);
    client.close();
  })();
  return {
    sent,
    state,
    stop: async () => {
      state.ended = true;
      await ended;
    },
  };
}

/** What the jobs of this version still have to do for the rows of the earlier one. */
async function remaining(url: string): Promise<{ events: number; users: number }> {
  return onDatabase(url, async (client) => {
    const { rows } = await client.query(`select
      (select count(*) from (select from event where coalesce(position, 0) = 0 limit 1) e)::int as events,
      (select count(*) from (
        select from "user" u where not exists (
          select from user_word w where w.tenant_id = u.tenant_id and w.user_id = u.user_id
        ) limit 1
      ) u)::int as users`);
    return rows[0];
  });
}

function print(sent: Sent[]): void {
  console.log(
    '\n| phase | operation | requests | failed | p50 ms | p99 ms | slowest ms |\n|---|---|---|---|---|---|---|',
  );
  for (const [phase, all] of Map.groupBy(sent, (one) => one.phase))
    for (const [operation, own] of Map.groupBy(all, (one) => one.operation)) {
      const times = own.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
      const at = (part: number) =>
        times[Math.min(times.length - 1, Math.floor(times.length * part))]?.toFixed(0);
      const failed = own.filter(({ wrong }) => wrong !== null).length;
      console.log(
        `| ${phase} | ${operation} | ${own.length} | ${failed} | ${at(0.5)} | ${at(0.99)} | ${at(1)} |`,
      );
    }
  const reasons = Map.groupBy(
    sent.filter(({ wrong }) => wrong !== null),
    (one) => `${one.phase}, ${one.operation}: ${one.wrong}`,
  );
  for (const [reason, all] of [...reasons].slice(0, 20)) console.log(`${all.length} × ${reason}`);
}

// This process measures, so it must not build while requests are in flight.
await ensureBuilt();
const old = await checkOut(values.from, say);
const seconds = (since: number) => `${((performance.now() - since) / 1_000).toFixed(0)} s`;
let target: Target | null = null;
let next: Node | null = null;
try {
  target = await startTarget({
    name: 'upgrade',
    engine: 'postgres',
    nodes: 1,
    root: old.root,
    // The proportions are those of 1,000 tenants, 1,000,000 users and 10,000,000 enrolments.
    sizes: {
      tenants: Math.max(1, Math.round(rows / 10_000)),
      users: benchUsers + rows / 10,
      enrolments: rows,
    },
    sessions: 500,
    say,
  });
  const { nodes, database, folder } = target;
  const [first] = nodes;
  if (!first || !database) throw new Error('The upgrade needs a node and a database server.');
  const traffic = sendTraffic(target, first);
  await pause(10_000);
  traffic.state.phase = 'migration';
  let began = performance.now();
  next = await startNode(join(import.meta.dirname, '..'), { DATA_DIR: folder, DATABASE_URL: database.url });
  say(`the new node was ready after ${seconds(began)}`);
  traffic.state.phase = 'two versions';
  traffic.state.node = next;
  await pause(5_000);
  await stopProcess(first);
  nodes.length = 0;
  traffic.state.phase = 'jobs';
  began = performance.now();
  for (
    let left = await remaining(database.url);
    left.events + left.users > 0;
    left = await remaining(database.url)
  )
    await pause(2_000);
  say(`the jobs for earlier rows ended after ${seconds(began)}`);
  traffic.state.phase = 'after';
  await pause(10_000);
  await traffic.stop();
  print(traffic.sent);
  if (traffic.sent.some(({ wrong }) => wrong !== null)) process.exitCode = 1;
} finally {
  if (next) await stopProcess(next);
  await target?.stop();
  await cleanUp();
  await old.remove();
}
