import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { openPostgres } from '../src/db/engine/postgres.ts';
import { guardTenants } from '../src/db/guard/tenant-guard.ts';
import { onEngine, otherNode, serve } from './support/nodes.ts';
import { startService } from './support/service.ts';
import { newCourse, newTenant } from './support/tenant.ts';

const service = await startService();
const node = await secondNode();
after(async () => {
  await node.close();
  await service.close();
});
const bases = [service.baseUrl, node.url];

/** A second node; on a PostgreSQL server it has its own connections. */
async function secondNode() {
  const { ctx } = service;
  const server = process.env.TEST_DATABASE_URL;
  if (!server) {
    const { api, close } = await serve(otherNode(ctx));
    return { url: await listen(api), close };
  }
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(ctx.db);
  const url = new URL(server);
  url.pathname = `/${rows[0]?.name}`;
  const engine = guardTenants(await openPostgres({ url: url.href }));
  const { api, close } = await serve(onEngine(ctx, engine));
  return { url: await listen(api), close: () => close().then(() => engine.close()) };
}

async function listen(api: Awaited<ReturnType<typeof serve>>['api']): Promise<string> {
  await api.listen({ host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`;
}

type Request = { path: string; body: object; headers: Record<string, string> };

type Outcome = { status: number; EnrollID?: string; code?: string };

/**
 * Makes one attempt on its own connection and closes it after `cutAfter` ms, or leaves it open if null. The
 * client then does not know whether the request arrived. Returns null if the client has to retry.
 */
function attempt(base: string, wanted: Request, cutAfter: number | null): Promise<Outcome | null> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', ...wanted.headers };
    const sent = request(base + wanted.path, { method: 'POST', headers, agent: false });
    const lost = (error: unknown) => (cutAfter === null ? reject(error) : resolve(null));
    const cut = cutAfter === null ? null : setTimeout(() => sent.destroy(), cutAfter);
    sent.on('error', lost);
    sent.on('response', async (reply) => {
      const answer = await json(reply).catch(lost);
      if (cut) clearTimeout(cut);
      const { code, EnrollID } = (answer ?? {}) as Outcome;
      const status = reply.statusCode ?? 0;
      const later = !answer || status === 503 || code === 'in_progress';
      resolve(later ? null : { status, ...(EnrollID && { EnrollID }), ...(code && { code }) });
    });
    sent.end(JSON.stringify(wanted.body));
  });
}

/** Sends the request three times, concurrently or in sequence, and then until there is a response. */
async function sendUntilAnswered(wanted: Request, number: number, cuts: boolean) {
  const base = (time: number) => bases[(number + time) % 2] ?? '';
  const cut = () => (cuts && Math.random() < 0.5 ? 1 + Math.floor(Math.random() * 25) : null);
  const tries = [0, 1, 2].map((time) => () => attempt(base(time), wanted, cut()));
  const responses =
    number % 2 === 0
      ? await Promise.all(tries.map((send) => send()))
      : [await tries[0]?.(), await tries[1]?.(), await tries[2]?.()];
  for (let time = 3; time < 2_000 && !responses.some(Boolean); time++)
    responses.push(await attempt(base(time), wanted, null));
  return responses.filter((answer) => answer != null);
}

async function repeated(options: {
  keys: boolean;
  body?: object;
  prepare?: boolean;
  cutDatabase?: boolean;
  event: string;
}) {
  const { user, api, events, key } = await newTenant(service);
  const course = await newCourse(service, {}, { month: { Duration: 'P30D' } });
  const logins = await Promise.all(Array.from({ length: 64 }, () => user()));
  if (options.prepare) for (const LoginID of logins) await api('POST', `/enrol/${LoginID}/${course}`);
  const cutting = options.cutDatabase && service.ctx.engine.kind === 'postgres' ? cutConnections() : null;
  const seen = await Promise.all(
    logins.map((LoginID, number) => {
      const headers: Record<string, string> = { authorization: `Bearer ${key}` };
      if (options.keys) headers['idempotency-key'] = `enrol ${LoginID}`;
      const path = `/enrol/${LoginID}/${course}/month`;
      return sendUntilAnswered({ path, body: options.body ?? {}, headers }, number, true);
    }),
  );
  await cutting?.stop();
  for (const [index, LoginID] of logins.entries()) {
    const { Items } = (await api('GET', `/enrolment/${LoginID}`)).body;
    assert.equal(Items.length, 1);
    for (const answer of seen[index] ?? []) {
      assert.ok([200, 201].includes(answer.status), JSON.stringify(answer));
      assert.equal(answer.EnrollID, Items[0].EnrollID);
    }
    const reported = (await events({ LoginID })).filter(({ type }) => type === options.event);
    assert.equal(reported.length, 1, `${reported.length} events of type ${options.event}`);
  }
}

/** Closes database connections of both nodes while they are working. */
function cutConnections() {
  const stopped = Promise.withResolvers<void>();
  let running = true;
  const work = async () => {
    while (running) {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() order by random() limit 2`
        .execute(service.ctx.db)
        .catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    stopped.resolve();
  };
  void work();
  return {
    stop: () => {
      running = false;
      return stopped.promise;
    },
  };
}

test('64 clients that send each enrol request three times, with random disconnections, create one enrolment and one event each', () =>
  repeated({ keys: false, event: 'enrolment.created' }));

test('64 clients that send Idempotency-Keys also create one enrolment and one event each', () =>
  repeated({ keys: true, event: 'enrolment.created' }));

test('requests that are not idempotent run once with an Idempotency-Key', () =>
  repeated({ keys: true, body: { IfEnrolled: 'extend' }, prepare: true, event: 'enrolment.extended' }));

test('lost database connections cause no duplicate enrolment', () =>
  repeated({ keys: false, cutDatabase: true, event: 'enrolment.created' }));

test("a key's rate limit applies across both nodes", {
  skip: service.ctx.engine.kind === 'pglite',
}, async () => {
  const { key } = await newTenant(service);
  const limited = { RATE_LIMIT: 20 };
  const contexts = [otherNode(service.ctx), otherNode(service.ctx)];
  const nodes = await Promise.all(
    contexts.map((ctx) => serve({ ...ctx, config: { ...ctx.config, rateLimit: limited.RATE_LIMIT } })),
  );
  const call = (at: number) =>
    nodes[at]?.api.inject({ url: '/user', headers: { authorization: `Bearer ${key}` } });
  const left = async (at: number) =>
    Number(/r=(\d+)/.exec(String((await call(at))?.headers.ratelimit))?.[1] ?? Number.NaN);
  for (let time = 0; time < 10; time++) await call(0);
  let known = await left(1);
  for (let time = 0; time < 200 && known > 10; time++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (time % 10 === 0) known = await left(1);
  }
  assert.ok(known <= 10, `the other node reports that ${known} calls are left`);
  await Promise.all(nodes.map((node) => node.close()));
});
