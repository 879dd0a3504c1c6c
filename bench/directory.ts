// Compares the operations of a directory with their counterparts in the API, by CPU time per request:
//   node scripts/run.js ../bench/directory [--rounds 5] [--sync 3000]
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bootstrapKey, cleanUp } from '../server/test/support/process.ts';
import { onDatabase } from './database.ts';
import { openClient } from './kill/client.ts';
import { median } from './median.ts';
import { startTarget } from './service.ts';
import { cpuOf, serversCpu } from './usage.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, sync: { type: 'string', default: '3000' } },
});
const [perRound, concurrent, members] = [300, 8, 100_000];

const target = await startTarget({
  ...{ name: 'postgres', engine: 'postgres', nodes: 1, root: join(import.meta.dirname, '..') },
  ...{ sizes: { tenants: 1, users: 20_040, enrolments: 0 }, sessions: 0, say: console.log },
});
const client = openClient(64);
const [url = ''] = target.origins.api;
const pid = target.nodes[0]?.child.pid ?? 0;
const used = () => cpuOf(pid) + serversCpu(target.database?.folders ?? []);

const fillGroups = `
insert into "user" (tenant_id, user_id, login_id, group_name, sort_name, folded, password_hash, created_at, updated_at)
select 'bench', ('01950000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'm' || n,
  case when n < ${members} then 'large' else 'small' end, 'm' || n, 'm' || n, 'random:' || md5(n::text), now(), now()
from generate_series(0, ${members + 9}) n`;
const addGroups = `
insert into scim_group (tenant_id, group_id, display_name, folded_name, created_at, updated_at)
select 'bench', ('01960000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, name, name, now(), now()
from unnest(array['large', 'small']) with ordinality one (name, n)`;

async function call(method: string, path: string, body: unknown, key: string): Promise<void> {
  const { status } = await client.call(method, url + path, body, key);
  if (status >= 300) throw new Error(`${method} ${path} returned ${status}`);
}

/** Sends requests 0 to `count - 1`, a few at a time; returns their times in milliseconds. */
async function send(count: number, one: (n: number) => Promise<void>, connections = concurrent) {
  const times: number[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const began = performance.now();
      await one(next++);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return times;
}

/** Microseconds of CPU time per request of each operation. The operations take turns. */
async function compare(name: string, operations: Record<string, (n: number) => Promise<void>>) {
  const rounds: Record<string, number[]> = {};
  for (let round = -1; round < Number(values.rounds); round++)
    for (const [label, one] of Object.entries(operations)) {
      const before = used();
      await send(perRound, (n) => one((round + 1) * perRound + n));
      const spent = ((used() - before) / perRound) * 1e6;
      // The first round warms up.
      if (round >= 0) rounds[label] = [...(rounds[label] ?? []), spent];
    }
  const [first, second] = Object.entries(rounds).map(([label, all]) => [label, median(all)] as const);
  if (!first || !second) return;
  const ratio = (first[1] / second[1]).toFixed(2);
  console.log(
    `${name}: ${first[0]} ${first[1].toFixed(0)} µs, ${second[0]} ${second[1].toFixed(0)} µs, ${ratio} ×`,
  );
}

const hex = (space: string, n: number) => `${space}-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
const patch = (op: string, path: string, value: unknown) => ({ Operations: [{ op, path, value }] });

try {
  await onDatabase(target.database?.url ?? '', async (database) => {
    for (const text of [fillGroups, addGroups, 'vacuum analyze']) await database.query(text);
  });
  const { key } = target.dataset;
  await compare('change a user', {
    'SCIM PATCH': (n) =>
      call('PATCH', `/scim/v2/Users/${hex('01920000', n)}`, patch('replace', 'name.givenName', `P${n}`), key),
    'PUT /user': (n) => call('PUT', `/user/u${n + 10_000}`, { FirstName: `P${n}` }, key),
  });
  // Each user is added by an even request and removed by the next.
  const regroup = (group: number) => (n: number) => {
    const user = { value: hex('01920000', 4_000 + Math.floor(n / 2) + group * 4_000) };
    const body = patch(n % 2 === 0 ? 'add' : 'remove', 'members', [user]);
    return call('PATCH', `/scim/v2/Groups/01960000-0000-7000-8000-00000000000${group}`, body, key);
  };
  await compare('change one member', { 'of 100,000': regroup(1), 'of 10': regroup(2) });
  const filter = (n: number) => encodeURIComponent(`userName eq "u${n}"`);
  await compare('find a user', {
    'SCIM filter': (n) => call('GET', `/scim/v2/Users?filter=${filter(n)}`, undefined, key),
    'GET /user?Email': (n) => call('GET', `/user?Email=u${n}@mail.example`, undefined, key),
  });
  const large = (n: number) => encodeURIComponent(`emails.value sw "u${n % 900}"`);
  await compare('a page of 100 users', {
    'SCIM filter': (n) => call('GET', `/scim/v2/Users?filter=${large(n)}&count=100`, undefined, key),
    'GET /user?Search': (n) => call('GET', `/user?Search=u${n % 900}&Limit=100&Count=true`, undefined, key),
  });

  const { body } = await client.call('POST', `${url}/tenant/tenant-0/key`, { Name: 'other' }, bootstrapKey);
  const other = (n: number) => call('PUT', `/user/u${n % 40}`, { FirstName: `O${n}` }, body.Secret);
  const p99 = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
  const create = (n: number) =>
    call('POST', '/scim/v2/Users', { userName: `sync-${n}`, name: { givenName: 'S' }, active: true }, key);
  const [usual, meanwhile]: [number[], number[]] = [[], []];
  // The sync pauses every few seconds, so that both figures are from the same minutes.
  const began = performance.now();
  for (let from = 0; from < Number(values.sync); from += perRound) {
    usual.push(...(await send(100, other, 2)));
    let isRunning = true;
    const some = send(perRound, (n) => create(from + n), 4).finally(() => {
      isRunning = false;
    });
    while (isRunning) meanwhile.push(...(await send(10, other, 2)));
    await some;
  }
  const seconds = (performance.now() - began) / 1000;
  console.log(
    `first sync: ${values.sync} users in ${seconds.toFixed(0)} s; p99 of another tenant: ${p99(usual).toFixed(1)} ms without, ${p99(meanwhile).toFixed(1)} ms with the sync`,
  );
} finally {
  client.close();
  await target.stop();
  await cleanUp();
}
