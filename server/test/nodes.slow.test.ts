import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { check } from '../../bench/kill/check.ts';
import { checkServer } from '../../bench/kill/consistency.ts';
import { type Balanced, startBalanced } from './support/balanced.ts';
import { bootstrapKey, cleanUp, stopProcess } from './support/process.ts';
import { slackSeconds, until } from './support/until.ts';

after(cleanUp);
const skip = !process.env.TEST_DATABASE_URL && 'several nodes need a server; runs with --postgres';

/** Calls one node, or the load balancer, as the operator or with a tenant's key. */
async function call(url: string, method: string, key: string, body?: unknown) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(url, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : null };
}

async function sellSeats({ balancer, target }: Balanced, seats: number, buyers: number): Promise<number> {
  const option = `${balancer.baseUrl}/course/few/option/standard`;
  await call(`${balancer.baseUrl}/course/few`, 'PUT', bootstrapKey, {
    Title: 'Few',
    URL: 'https://few.example/',
  });
  await call(option, 'PUT', bootstrapKey, { Seats: seats });
  const responses = await Promise.all(
    Array.from({ length: buyers }, async (_, number) => {
      const LoginID = `buyer ${number}`;
      await call(`${balancer.baseUrl}/user`, 'POST', target.key, { LoginID });
      const path = `${balancer.baseUrl}/enrol/${encodeURIComponent(LoginID)}/few`;
      return (await call(path, 'POST', target.key)).status;
    }),
  );
  assert.deepEqual([...new Set(responses)].sort(), [201, 409]);
  const { body } = await call(`${balancer.baseUrl}/course/few`, 'GET', bootstrapKey);
  assert.equal(body.EnrolOptions[0].SeatsLeft, 0);
  return responses.filter((status) => status === 201).length;
}

/** How often all nodes together have started a job; on Citus, for the worker node where they started it most. */
async function jobRuns(databaseUrl: string, name: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(
    `select max(runs)::int as runs from scheduled_job where split_part(name, ' ', 1) = $1`,
    [name],
  );
  await client.end();
  return rows[0].runs;
}

/** Returns the number of seconds until no node accepts a revoked key. */
async function revocation({ nodes, balancer, target }: Balanced): Promise<number> {
  const made = await call(`${balancer.baseUrl}/tenant/walk/key`, 'POST', bootstrapKey, { Name: 'to revoke' });
  const { KeyID, Secret } = made.body;
  const statuses = () =>
    Promise.all(nodes.map(async ({ baseUrl }) => (await call(`${baseUrl}/user`, 'GET', Secret)).status));
  assert.deepEqual(new Set(await statuses()), new Set([200]), 'all nodes accept the key');
  await call(`${balancer.baseUrl}/tenant/walk/key/${KeyID}`, 'DELETE', bootstrapKey);
  const begun = performance.now();
  await until('all nodes reject the key', async () => (await statuses()).every((status) => status === 401));
  assert.equal(
    (await call(`${balancer.baseUrl}/user`, 'GET', target.key)).status,
    200,
    'other keys still work',
  );
  const seconds = (performance.now() - begun) / 1_000;
  assert.ok(seconds < 5 + slackSeconds, `a revoked key was accepted for ${seconds} s`);
  return seconds;
}

for (const count of [2, 4])
  test(`${count} nodes on one database lose no writes, sell no seat twice, run each job once, and revoke keys within 5 s`, {
    skip,
  }, async (context) => {
    const begun = performance.now();
    const service = await startBalanced(count);
    context.after(service.close);
    const { client, target, ledger, balancer, databaseUrl } = service;
    const load = service.load(24);
    assert.equal(await sellSeats(service, 15, 60), 15);
    const seconds = await revocation(service);
    await until('some requests have succeeded', () => ledger.acknowledged.commits > 100);
    assert.deepEqual(await load.over(), []);
    assert.deepEqual(balancer.broken, []);
    assert.equal(balancer.passed.size, count, 'every node served requests');
    assert.deepEqual(await check(client, target, ledger, { all: true }), { lost: [], torn: [] });
    assert.deepEqual(await checkServer(databaseUrl), []);
    const runs = await jobRuns(databaseUrl, 'enrolments.expire');
    const limit = 1 + (performance.now() - begun) / 30_000;
    assert.ok(runs > 0 && runs <= limit, `expected one run per half minute, not ${runs}`);
    for (const node of service.nodes) {
      assert.deepEqual(await stopProcess(node), { code: 0, signal: null });
      assert.doesNotMatch(node.stdout(), /"level":(50|60)/, 'the log contains no error');
    }
    console.log(
      `${count} nodes: ${[...balancer.passed.values()].join(' + ')} requests, ${JSON.stringify(ledger.acknowledged)}, losses 0, a revoked key rejected everywhere after ${seconds.toFixed(1)} s`,
    );
  });

test('a rolling restart under load drops no requests', { skip }, async (context) => {
  const service = await startBalanced(2, () => ({ DRAIN_SECONDS: '4' }));
  context.after(service.close);
  const { client, target, ledger, balancer, databaseUrl } = service;
  const load = service.load(24);
  for (const old of [...service.nodes]) {
    const before = ledger.acknowledged.commits;
    await until('requests keep succeeding', () => ledger.acknowledged.commits > before + 20);
    await service.start();
    await until('the load balancer uses the new node', () => balancer.healthy() === 3);
    const stopping = stopProcess(old);
    await until(
      'the node reports that it is shutting down',
      async () => (await fetch(`${old.baseUrl}/health/ready`)).status === 503,
    );
    const kept = await fetch(`${old.baseUrl}/user`, { headers: { authorization: `Bearer ${target.key}` } });
    assert.deepEqual([kept.status, kept.headers.get('connection')], [200, 'close']);
    assert.equal((await fetch(`${old.baseUrl}/health/live`)).status, 200);
    assert.deepEqual(await stopping, { code: 0, signal: null });
  }
  assert.deepEqual(await load.over(), []);
  assert.deepEqual(
    ledger.enrolments.filter((one) => one.unanswered !== null),
    [],
  );
  assert.deepEqual(balancer.broken, []);
  assert.deepEqual(await check(client, target, ledger, { all: true }), { lost: [], torn: [] });
  assert.deepEqual(await checkServer(databaseUrl), []);
  const requests = [...balancer.passed.values()].reduce((sum, one) => sum + one, 0);
  console.log(`rolling restart: ${requests} requests, dropped 0, losses 0`);
});
