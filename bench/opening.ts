// Compares opening a requirement with bulk enrolments, in rows per second and CPU time, and shows what another tenant
// feels of it:
//   node scripts/run.js ../bench/opening [--people 20000] [--rounds 3]
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { bootstrapKey, cleanUp } from '../server/test/support/process.ts';
import { onDatabase } from './database.ts';
import { openClient } from './kill/client.ts';
import { median } from './median.ts';
import { startTarget } from './service.ts';
import { cpuOf, memoryOf, serversCpu } from './usage.ts';

const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '3' },
    root: { type: 'string', default: join(import.meta.dirname, '..') },
  },
});
const people = Number(values.people);

const target = await startTarget({
  ...{ name: 'postgres', engine: 'postgres', nodes: 1, root: values.root },
  ...{ sizes: { tenants: 1, users: 20_040, enrolments: 0 }, sessions: 0, say: console.log },
});
const client = openClient(8);
const [url = ''] = target.origins.api;
const pid = target.nodes[0]?.child.pid ?? 0;
const { key } = target.dataset;

async function call(method: string, path: string, body?: unknown, by = key) {
  const answer = await client.call(method, url + path, body, by);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Rows per second, and microseconds of CPU time per row: of the service and of the database server. */
async function measure(work: () => Promise<unknown>) {
  const folders = target.database?.folders ?? [];
  const [service, server, began] = [cpuOf(pid), serversCpu(folders), performance.now()];
  await work();
  const perRow = (seconds: number) => (seconds / people) * 1e6;
  return {
    perSecond: (people / (performance.now() - began)) * 1000,
    cpu: [perRow(cpuOf(pid) - service), perRow(serversCpu(folders) - server)] as const,
  };
}

async function enrolInBulk(course: string): Promise<void> {
  const rows = Array.from({ length: people }, (_, n) => `{"LoginID":"m${n}","CourseID":"${course}"}`);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' };
  const body = `${rows.join('\n')}\n`;
  const answer = await fetch(`${url}/enrol/bulk`, { method: 'POST', headers, body });
  const created = (await answer.text()).split('"Status":201').length - 1;
  if (created !== people) throw new Error(`${created} of ${people} were enrolled`);
}

async function open(id: string, course: string): Promise<void> {
  const rule = { Title: id, CourseIDs: [course], Audience: { Groups: ['many'] }, DueAfter: 'P30D' };
  await call('PUT', `/requirement/${id}?Confirm=${people}`, rule);
  while ((await call('GET', `/requirement/${id}`)).Pending) await pause(200);
}

const fillUsers = `
insert into "user" (tenant_id, user_id, login_id, group_name, manager_login_id, attributes, sort_name, folded, password_hash,
  created_at, updated_at)
select 'bench', ('01950000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'm' || n, 'many', 'm' || n / 20,
  jsonb_build_object('site', 's' || n % 20), 'm' || n, 'm' || n, 'random:' || md5(n::text), now(), now()
from generate_series(0, ${people - 1}) n`;

const p99 = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;

try {
  await onDatabase(target.database?.url ?? '', async (database) => {
    for (const text of [fillUsers, 'vacuum analyze']) await database.query(text);
  });
  const { Secret } = await call('POST', '/tenant/tenant-0/key', { Name: 'other' }, bootstrapKey);
  // The other tenant sends 50 requests per second: alone, during bulk enrolments, and during an opening.
  const times: Record<'alone' | 'bulk' | 'opening', number[]> = { alone: [], bulk: [], opening: [] };
  const state: { into: number[] | null; isDone: boolean } = { into: null, isDone: false };
  const other = (async () => {
    for (let n = 0; !state.isDone; n++) {
      const began = performance.now();
      const { into } = state;
      if (into) await call('PUT', `/user/u${n % 40}`, { FirstName: `O${n}` }, Secret);
      const took = performance.now() - began;
      if (into) into.push(took);
      await pause(Math.max(1, 20 - took));
    }
  })();
  const results: Record<'bulk' | 'opening', Awaited<ReturnType<typeof measure>>[]> = {
    bulk: [],
    opening: [],
  };
  for (let round = 0; round < Number(values.rounds); round++) {
    results.bulk.push(await measure(() => enrolInBulk(`b${round}`)));
    results.opening.push(await measure(() => open(`r${round}`, `c${round}`)));
  }
  for (const [name, all] of Object.entries(results)) {
    const each = all.map(({ perSecond }) => perSecond.toFixed(0)).join(', ');
    const [service, server] = [0, 1].map((part) => median(all.map(({ cpu }) => cpu[part] ?? 0)).toFixed(0));
    console.log(`${name}: ${each} rows/s; CPU per row: service ${service} µs, server ${server} µs`);
  }
  const [opening, bulk] = [results.opening, results.bulk].map((all) =>
    median(all.map(({ perSecond }) => perSecond)),
  );
  console.log(
    `opening / bulk: ${((opening ?? 0) / (bulk ?? 1)).toFixed(2)}; RSS ${memoryOf(pid).toFixed(0)} MB`,
  );

  for (let round = 0; round < 3; round++) {
    state.into = times.alone;
    await pause(6_000);
    state.into = times.bulk;
    await enrolInBulk(`b${100 + round}`);
    state.into = times.opening;
    await open(`p${round}`, `c${100 + round}`);
    state.into = null;
  }
  state.isDone = true;
  await other;
  for (const [during, all] of Object.entries(times))
    console.log(`p99 of another tenant, ${during} (${all.length} requests): ${p99(all).toFixed(1)} ms`);
} finally {
  client.close();
  await target.stop();
  await cleanUp();
}
