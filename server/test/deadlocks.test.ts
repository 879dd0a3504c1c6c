import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import type { Engine } from '../src/db/engine/engine.ts';
import { finishErasures } from '../src/domain/privacy/erase-batches.ts';
import { codeOf } from '../src/lib/errors.ts';
import { onEngine, serve } from './support/nodes.ts';
import { startService } from './support/service.ts';
import { newCourse, newTenant, unique } from './support/tenant.ts';
import { until } from './support/until.ts';

// PostgreSQL takes a second to detect a deadlock. If the deadlock involves a row that tenants share, all of
// these tenants wait for a second.

const skip =
  !process.env.TEST_DATABASE_URL && 'the embedded database has one connection; runs with --postgres';
const service = await startService();
const codes: unknown[] = [];
const noted = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    codes.push(codeOf(error));
    throw error;
  });
const { engine } = service.ctx;
const watched: Engine = {
  ...engine,
  query: (...args) => noted(engine.query(...args)),
  transaction: (...args) => noted(engine.transaction(...args)),
};
const node = await serve(onEngine(service.ctx, watched));
after(async () => {
  await node.close();
  await service.close();
});

const rounds = 12;

/** Runs the loops concurrently, and returns the number of responses with a status below 500. */
async function together(loops: ((round: number) => Promise<number[]>)[]): Promise<number> {
  const statuses = await Promise.all(
    loops.map(async (loop) => {
      const all: number[] = [];
      for (let round = 0; round < rounds; round++) all.push(...(await loop(round)));
      return all;
    }),
  );
  return statuses.flat().filter((status) => status < 500).length;
}

test('concurrent enrolments, withdrawals, restorations and erasures on shared options cause no deadlock', {
  skip,
}, async () => {
  const courses = ['limited', 'unlimited', 'another'];
  for (const [n, course] of courses.entries()) {
    await service.api('PUT', `/course/${course}`, { Title: course });
    await service.api('PUT', `/course/${course}/option/year`, n === 1 ? {} : { Seats: 10_000 });
  }
  const { key } = await newTenant(service);
  const call = async (method: 'POST' | 'PUT' | 'DELETE', url: string, payload: object = {}) => {
    const headers = { authorization: `Bearer ${key}` };
    const reply = await node.api.inject({
      method,
      url,
      headers,
      ...(method === 'DELETE' ? {} : { payload }),
    });
    return { status: reply.statusCode, body: reply.body === '' ? null : reply.json() };
  };
  const enrolled = async (order: string[]) => {
    const LoginID = unique('deadlock');
    const made = [await call('POST', '/user', { LoginID, GroupName: 'one' })];
    for (const course of order) made.push(await call('POST', `/enrol/${LoginID}/${course}`));
    return { LoginID, made, ids: made.slice(1).map(({ body }) => body.EnrollID) };
  };
  const staying = await Promise.all(Array.from({ length: 3 }, () => enrolled(courses)));
  const erase = (order: string[]) => async () => {
    const { LoginID, made } = await enrolled(order);
    const erased = await call('DELETE', `/user/${LoginID}`);
    return [...made, erased].map(({ status }) => status);
  };
  const change = (at: number) => async (round: number) => {
    const { LoginID, ids } = staying[at % staying.length] as (typeof staying)[number];
    const id = ids[(round + at) % ids.length];
    const Withdrawn = round % 2 === 0;
    const replies = [
      await call('PUT', `/enrolment/${LoginID}/${id}`, { Withdrawn }),
      await call('PUT', `/user/${LoginID}`, { GroupName: `group ${round}`, Enabled: true }),
    ];
    return replies.map(({ status }) => status);
  };
  const reversed = courses.toReversed();
  const succeeded = await together([
    ...[courses, reversed, courses, reversed].map(erase),
    ...[0, 1, 2, 3, 4, 5].map(change),
  ]);
  assert.deepEqual(
    codes.filter((code) => code === '40P01'),
    [],
  );
  assert.ok(succeeded > rounds * 4 * 5, `${succeeded} requests succeeded`);
});

/** On a busy machine, the job may give up waiting for a lock. It is repeated later. */
function ignoreLockTimeout(error: AggregateError): void {
  assert.deepEqual(new Set(error.errors.map(codeOf)), new Set(['55P03']));
}

test('requests and the job that erase the same user cause no deadlock', { skip }, async () => {
  codes.length = 0;
  const { TenantID, key } = await newTenant(service);
  const ctx = onEngine(service.ctx, watched);
  const headers = { authorization: `Bearer ${key}` };
  const erase = (LoginID: string) => node.api.inject({ method: 'DELETE', url: `/user/${LoginID}`, headers });
  for (let round = 0; round < rounds / 2; round++) {
    const LoginID = unique('erased');
    const created = await node.api.inject({ method: 'POST', url: '/user', headers, payload: { LoginID } });
    assert.equal(created.statusCode, 201);
    // More events than a batch erases, so that the erasure takes several transactions.
    await sql`insert into event (tenant_id, event_id, type, occurred_at, user_id, data)
      select ${TenantID}, overlay(gen_random_uuid()::text placing '01900000' from 1 for 8)::uuid, 'user.updated', now(),
        account.user_id, '{}' from "user" account, generate_series(1, 6000)
      where account.tenant_id = ${TenantID} and account.login_id = ${LoginID}`.execute(service.ctx.db);
    const first = erase(LoginID);
    const erasures = service.ctx.db.selectFrom('erasure_under_way').where('tenant_id', '=', TenantID);
    await until('the erasure begins', async () => (await erasures.selectAll().execute()).length > 0);
    await Promise.all([first, erase(LoginID), finishErasures(ctx).catch(ignoreLockTimeout), erase(LoginID)]);
  }
  assert.deepEqual(
    codes.filter((code) => code === '40P01'),
    [],
  );
});

test('reports of bounces, their repetition and other changes to the same users cause no deadlock', {
  skip,
}, async () => {
  codes.length = 0;
  const { key } = await newTenant(service);
  await service.api('PUT', '/course/bounces', { Title: 'Bounces' });
  await service.api('PUT', '/course/bounces/option/year', {});
  const nodes = [node, await serve(onEngine(service.ctx, watched))];
  const call = async (n: number, method: 'POST' | 'DELETE', url: string, payload?: object | string) => {
    const type = typeof payload === 'string' && { 'content-type': 'application/x-ndjson' };
    const request = { method, url, headers: { authorization: `Bearer ${key}`, ...type } };
    const reply = await nodes[n % 2]?.api.inject({ ...request, ...(payload && { payload }) });
    return reply?.statusCode;
  };
  const users = 30;
  const loginId = (n: number) => `u${String(n % users).padStart(2, '0')}`;
  const addresses = ['one@acme.example', 'two@acme.example'];
  const rows = (of: (n: number) => object) =>
    Array.from({ length: users }, (_, n) => JSON.stringify(of(n))).join('\n');
  const Email = (n: number) => addresses[n % 2];
  await call(
    0,
    'POST',
    '/user/bulk',
    rows((n) => ({ LoginID: loginId(n), Email: Email(n) })),
  );
  const report = (n: number) =>
    call(n, 'POST', '/mail/bounce', { EmailAddress: addresses[n % 3 === 0 ? 1 : 0], Kind: 'permanent' });
  const invite = (n: number) => call(n, 'POST', '/invitation', { LoginID: loginId(n * 7) });
  const renew = (n: number) => {
    const row = { CourseID: 'bounces', IfEnrolled: 'renew' };
    return call(
      n,
      'POST',
      '/enrol/bulk',
      rows((at) => ({ LoginID: loginId(n - at + users), ...row })),
    );
  };
  const clear = (n: number) => call(n, 'DELETE', `/user/${loginId(n)}/bounce`);
  const statuses: unknown[] = [];
  for (let round = 0; round < rounds; round++) {
    const reports = Array.from({ length: 15 }, (_, n) => report(n));
    const others = Array.from({ length: 10 }, (_, n) => invite(n + round));
    statuses.push(...(await Promise.all([...reports, ...others, renew(round)])));
    statuses.push(...(await Promise.all([0, 1, 2, 3].map(clear))));
  }
  await nodes[1]?.close();
  assert.deepEqual(
    codes.filter((code) => code === '40P01'),
    [],
  );
  const succeeded = statuses.filter((status) => Number(status) < 500).length;
  assert.ok(succeeded > statuses.length / 2, `${succeeded} of ${statuses.length} requests succeeded`);
});

test('calls with the same Idempotency-Keys on two nodes cause no deadlock', { skip }, async () => {
  codes.length = 0;
  const { key, user } = await newTenant(service);
  const other = await serve(onEngine(service.ctx, watched));
  const courses = [await newCourse(service), await newCourse(service)];
  const logins = await Promise.all(Array.from({ length: 4 }, () => user()));
  const authorization = `Bearer ${key}`;
  const enrol = async (at: number, url: string, name: string, payload: object) => {
    const headers = { authorization, 'idempotency-key': name };
    const { api } = at % 2 === 0 ? node : other;
    return (await api.inject({ method: 'POST', url, headers, payload })).statusCode;
  };
  const change = async (LoginID: string, round: number) => {
    const payload = { GroupName: `group ${round}` };
    const url = `/user/${LoginID}`;
    return (await node.api.inject({ method: 'PUT', url, headers: { authorization }, payload })).statusCode;
  };
  const loops = Array.from({ length: 8 }, (_, at) => async (round: number) => {
    const own = at < 4 ? logins : logins.toReversed();
    const order = at % 4 < 2 ? courses : courses.toReversed();
    return Promise.all(
      own.flatMap((LoginID) => [
        ...order.map((course) =>
          enrol(at, `/enrol/${LoginID}/${course}`, `${round} ${LoginID} ${course}`, { IfEnrolled: 'renew' }),
        ),
        enrol(at, '/user', `${round} ${LoginID}`, { LoginID: `${LoginID}-${round}`, IsAdmin: at % 4 === 0 }),
        change(LoginID, round),
      ]),
    );
  });
  const succeeded = await together(loops);
  await other.close();
  assert.deepEqual(
    codes.filter((code) => code === '40P01'),
    [],
  );
  assert.ok(succeeded > rounds * 8 * 8, `${succeeded} requests succeeded`);
});
