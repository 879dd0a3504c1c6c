import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { isDistributed } from '../src/db/distribute.ts';
import type { Statement } from '../src/db/engine/engine.ts';
import { transaction } from '../src/db/transaction.ts';
import { enrolForTenants } from '../src/domain/enrolments/enrol-function.ts';
import { calls, observed, serve } from './support/nodes.ts';
import { startService } from './support/service.ts';
import { newCourse, newTenant, type TestTenant, unique } from './support/tenant.ts';

// Calls of frequent verbs of several tenants share statements and commits. No tenant may notice the others.

const service = await startService();
const { ctx } = service;
let seen: Statement[] = [];
const node = await serve(observed(ctx, (statement) => void seen.push(statement)));
after(async () => {
  await node.close();
  await service.close();
});
const skip = (await isDistributed(ctx.engine)) && 'on Citus, a statement has rows of one tenant';
const onServer = skip || (ctx.engine.kind === 'pglite' && 'needs two connections');

const course = await newCourse(service, {}, { month: { Duration: 'P30D' } });
const tenants = await Promise.all(Array.from({ length: 8 }, () => newTenant(service)));
const [locked] = tenants as [TestTenant];

type Reply = { status: number; body: Record<string, unknown>; milliseconds: number };

async function post(
  { key }: TestTenant,
  url: string,
  payload: unknown,
  headers: object = {},
): Promise<Reply> {
  const begun = performance.now();
  const authorization = `Bearer ${key}`;
  const request = {
    method: 'POST',
    url,
    payload: payload as object,
    headers: { authorization, ...headers },
  } as const;
  const reply = await node.api.inject(request);
  return { status: reply.statusCode, body: reply.json(), milliseconds: performance.now() - begun };
}

/** The numbers of tenants in the statements that call this function. */
const tenantsIn = (name: string) =>
  seen.flatMap((one) => (calls(one, name) ? [new Set(one.values[0] as string[]).size] : []));

const statuses = (replies: Reply[]) => replies.map(({ status }) => status);
const times = <T>(value: T) => tenants.map(() => value);

const keyed = (key: string, isKeyed: boolean) => (isKeyed ? { 'idempotency-key': key } : {});

for (const isKeyed of [false, true])
  test(`calls of several tenants ${isKeyed ? 'with' : 'without'} an Idempotency-Key share a statement, and each gets its own answer`, {
    skip,
  }, async () => {
    seen = [];
    const LoginID = unique('shared');
    const create = () =>
      Promise.all(
        tenants.map((tenant, n) =>
          post(tenant, '/user', { LoginID, LastName: `${n}` }, keyed('user', isKeyed)),
        ),
      );
    const created = await create();
    assert.deepEqual(statuses(created), times(201));
    assert.deepEqual(
      created.map(({ body }) => body.LastName),
      tenants.map((_, n) => `${n}`),
    );
    const enrol = () =>
      Promise.all(
        tenants.map((tenant) =>
          post(tenant, `/enrol/${LoginID}/${course}`, { IfEnrolled: 'renew' }, keyed('enrol', isKeyed)),
        ),
      );
    const enrolled = await enrol();
    assert.deepEqual(statuses(enrolled), times(201));
    assert.equal(new Set(enrolled.map(({ body }) => body.EnrollID)).size, tenants.length);
    for (const name of ['create_user_each', 'enrol_each']) assert.ok(Math.max(...tenantsIn(name)) > 1, name);
    for (const [n, { api, events }] of tenants.entries()) {
      const { EnrollID } = enrolled[n]?.body ?? {};
      assert.equal((await api('GET', `/enrolment/${LoginID}/${EnrollID}`)).status, 200);
      const types = (await events({ LoginID })).map(({ type }) => type);
      assert.deepEqual(types, ['user.created', 'enrolment.created']);
    }
    if (!isKeyed) return;
    assert.ok(seen.some(({ text }) => text.includes('across tenants: the responses to a batch')));
    assert.deepEqual(
      (await Promise.all([create(), enrol()])).flat().map(({ body }) => body),
      [...created, ...enrolled].map(({ body }) => body),
    );
  });

test('statements of several tenants are stored together, and a conflict concerns its tenant only', {
  skip,
}, async () => {
  const headers = { 'x-experience-api-version': '1.0.3' };
  const statement = (n: number) => ({
    id: `00000000-0000-4000-8000-00000000000${n}`,
    actor: { mbox: 'mailto:ann@acme.example' },
    verb: { id: 'https://acme.example/did' },
    object: { id: 'https://acme.example/walk' },
  });
  const other = { ...statement(1), verb: { id: 'https://acme.example/saw' } };
  const send = (of: (n: number) => unknown) =>
    Promise.all(tenants.map((tenant, n) => post(tenant, '/xapi/statements', of(n), headers)));
  seen = [];
  assert.deepEqual(statuses(await send(() => statement(1))), times(200));
  const [first, ...others] = await send((n) => (n === 0 ? other : statement(2)));
  assert.equal(first?.status, 409);
  assert.deepEqual(statuses(others), times(200).slice(1));
  assert.ok(Math.max(...tenantsIn('store_statements_each')) > 1);
});

/** Runs `work` while another transaction locks the first tenant's row. */
async function whileLocked<T>(table: string, work: () => Promise<T>): Promise<T> {
  return transaction(ctx, async (ctx) => {
    await sql`select 1 from ${sql.table(table)} held where held.tenant_id = ${locked.TenantID} for update`.execute(
      ctx.db,
    );
    return work();
  });
}

for (const isKeyed of [false, true])
  test(`a tenant whose event log is locked does not hold up the others, ${isKeyed ? 'with' : 'without'} an Idempotency-Key`, {
    skip: onServer,
  }, async () => {
    seen = [];
    const LoginID = unique('locked');
    const { waiting, replies } = await whileLocked('event_log', async () => {
      const [waiting, ...others] = tenants.map((tenant) =>
        post(tenant, '/user', { LoginID }, keyed('locked', isKeyed)),
      );
      return { waiting, replies: await Promise.all(others) };
    });
    assert.deepEqual(statuses(replies), times(201).slice(1));
    const slowest = Math.max(...replies.map(({ milliseconds }) => milliseconds));
    assert.ok(slowest < 1_500, `others waited ${slowest} ms`);
    assert.equal((await waiting)?.status, 201);
    assert.ok(Math.max(...tenantsIn('create_user_each')) > 1);
    for (const { events } of tenants) assert.equal((await events({ LoginID })).length, 1);
  });

test('a call that fails leaves the other tenants of the statement alone, and changes nothing', {
  skip,
}, async () => {
  const calls = tenants.slice(0, 3).map(({ TenantID: tenantId }, n) => ({
    ctx: { ...ctx, tenantId },
    values: [n === 1 ? '[{"n":"one"}]' : '[]', ctx.now(), true, null],
  }));
  const { rows, isLeftOut } = await enrolForTenants.call(ctx, calls);
  assert.deepEqual(rows, []);
  assert.deepEqual(
    calls.map(({ ctx: { tenantId } }) => isLeftOut(tenantId)),
    [false, true, false],
  );
});
