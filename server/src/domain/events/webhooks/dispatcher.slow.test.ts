import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { startService, type TestService } from '../../../../test/support/service.ts';
import { until } from '../../../../test/support/until.ts';
import { type Received, type Receiver, startReceiver } from '../../../../test/support/webhooks.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { newId } from '../../../lib/ids.ts';
import { appendEvents } from '../append.ts';
import { type Dispatcher, startDispatcher } from './dispatcher.ts';

const env = { WEBHOOK_ALLOW: '127.0.0.0/8' };

/** A service with receivers and nodes that are stopped after the test, whether it passes or fails. */
async function open(t: TestContext, options: { now?: () => Date } = {}) {
  const service = await startService({ env, ...options });
  const receivers: Receiver[] = [];
  const nodes: Dispatcher[] = [];
  t.after(async () => {
    await Promise.all(nodes.map((node) => node.stop(100)));
    await Promise.all(receivers.map((receiver) => receiver.kill()));
    await service.close();
  });
  const receive = async () => {
    const receiver = await startReceiver();
    receivers.push(receiver);
    return receiver;
  };
  const startNode = () => {
    const node = startDispatcher(service.ctx);
    nodes.push(node);
    return node;
  };
  return { service, receive, startNode };
}

async function endpoint(service: TestService, tenantId: string, url: string): Promise<TenantContext> {
  await service.api('POST', '/tenant', { TenantID: tenantId });
  const made = await service.api('POST', '/webhook', { URL: url }, undefined, { tenant: tenantId });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return { ...service.ctx, tenantId };
}

/**
 * The events need a learner. Otherwise, they would belong to an erased person, and responses would not be
 * stored.
 */
const learner = newId(new Date());

const eventsOf = (enrolments: string[], round: number) =>
  enrolments.map((enrollId) => ({
    type: 'enrolment.progressed' as const,
    userId: learner,
    enrollId,
    data: { Progress: round },
  }));

const enrolmentIds = (count: number) => Array.from({ length: count }, () => newId(new Date()));

/** The order in which events first arrived. A repeated event is ignored, as a client would do. */
function firstArrivals(received: readonly Received[]): Map<string, number[]> {
  const seen = new Set<string>();
  const rounds = new Map<string, number[]>();
  for (const { event } of received) {
    if (seen.has(event.EventID)) continue;
    seen.add(event.EventID);
    const enrollId = event.EnrollID ?? '';
    rounds.set(enrollId, [...(rounds.get(enrollId) ?? []), Number(event.Data.Progress)]);
  }
  return rounds;
}

const countOf = ({ received }: Receiver) => new Set(received.map(({ event }) => event.EventID)).size;

async function pendingOf({ db, tenantId }: TenantContext) {
  return db
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('status', '=', 'pending')
    .execute();
}

test('5,000 events reach a receiver that is killed and restarted, in order for each enrolment', async (t) => {
  const { service, receive, startNode } = await open(t);
  const receiver = await receive();
  const ctx = await endpoint(service, 'killed', receiver.url);
  startNode();
  startNode();
  const enrolments = enrolmentIds(200);
  const rounds = Array.from({ length: 25 }, (_, round) => round);
  const writing = (async () => {
    for (const round of rounds) await appendEvents(ctx, eventsOf(enrolments, round));
  })();
  for (const share of [500, 2_000]) {
    await until(`${share} events arrived`, () => countOf(receiver) >= share);
    await receiver.kill();
    const { length } = receiver.received;
    await until('deliveries fail', async () => (await pendingOf(ctx)).some((row) => row.error !== null));
    assert.equal(receiver.received.length, length);
    await receiver.restart();
  }
  await writing;
  await until('all arrive', () => countOf(receiver) === 5_000, 120);
  for (const arrived of firstArrivals(receiver.received).values()) assert.deepEqual(arrived, rounds);
  await until('all are recorded', async () => (await pendingOf(ctx)).length === 0);
});

test("a hanging receiver does not delay another endpoint's deliveries", async (t) => {
  const { service, receive, startNode } = await open(t);
  const hanging = await receive();
  hanging.answer(() => {});
  const contexts = await Promise.all(
    Array.from({ length: 12 }, (_, number) => endpoint(service, `hanging-${number}`, hanging.url)),
  );
  const healthy = await receive();
  const ctx = await endpoint(service, 'healthy', healthy.url);
  const node = startNode();
  for (const hung of contexts) await appendEvents(hung, eventsOf(enrolmentIds(60), 0));
  await until('the receivers hang', () => hanging.received.length >= 40);
  const began = performance.now();
  await appendEvents(ctx, eventsOf(enrolmentIds(200), 0));
  await until('all arrive at the healthy one', () => countOf(healthy) === 200);
  assert.ok(performance.now() - began < 9_000, 'healthy deliveries arrive before a hanging one times out');

  const stopping = performance.now();
  await node.stop(200);
  assert.ok(performance.now() - stopping < 9_000, 'hanging deliveries are released');
  const [first] = contexts;
  assert.ok(first);
  const pending = await pendingOf(first);
  assert.equal(pending.length, 60);
  assert.ok(pending.every((row) => row.attempts === 0));
  hanging.answer((response) => response.writeHead(204).end());
  startNode();
  await until('another node delivers them', async () => (await pendingOf(first)).length === 0);
});

test("a failing event delays only its own enrolment, not the endpoint's other enrolments", async (t) => {
  const { service, receive, startNode } = await open(t);
  const receiver = await receive();
  const [bad = '', ...good] = enrolmentIds(20);
  receiver.answer((response, { event }) => response.writeHead(event.EnrollID === bad ? 500 : 200).end());
  const ctx = await endpoint(service, 'poison', receiver.url);
  startNode();
  for (const round of [0, 1, 2]) await appendEvents(ctx, eventsOf([bad, ...good], round));
  await until('the others arrive', () => countOf(receiver) === 19 * 3 + 1);
  assert.deepEqual(firstArrivals(receiver.received).get(bad), [0]);
});

test('an endpoint that fails for 72 hours is disabled, writes an event, and later continues where it stopped', async (t) => {
  let hours = 0;
  const { service, receive, startNode } = await open(t, {
    now: () => new Date(Date.now() + hours * 3_600_000),
  });
  const receiver = await receive();
  receiver.answer((response) => response.writeHead(503).end());
  const ctx = await endpoint(service, 'failing', receiver.url);
  startNode();
  const [enrolment = ''] = enrolmentIds(1);
  await appendEvents(ctx, [...eventsOf([enrolment], 0), ...eventsOf([enrolment], 1)]);
  const call = (method: string, path: string, body?: unknown) =>
    service.api(method, path, body, undefined, { tenant: ctx.tenantId });
  const hook = async () => (await call('GET', '/webhook')).body.Items[0];
  await until('it fails', async () => (await hook()).FailingSince !== null);
  for (const [attempts, then] of [
    [2, 24],
    [3, 48],
    [4, 73],
  ] as const) {
    hours = then;
    await until(`attempt ${attempts}`, () => receiver.received.length === attempts);
  }
  await until('it is disabled', async () => (await hook()).Status === 'disabled');
  assert.equal((await hook()).DisabledReason, 'failing');
  const { body: log } = await call('GET', '/events?Types=webhook.disabled');
  assert.equal(log.Items.length, 1);
  assert.equal(log.Items[0].Data.URL, receiver.url);

  receiver.answer((response) => response.writeHead(200).end());
  await call('PUT', `/webhook/${(await hook()).WebhookID}`, { Status: 'enabled' });
  await until('the rest arrives', async () => (await pendingOf(ctx)).length === 0);
  const last = receiver.received.at(-1);
  assert.equal(last?.event.Type, 'webhook.disabled');
});

test('enabling an endpoint makes pending deliveries due and restarts their 72 hours without rewriting them', async (t) => {
  let hours = 0;
  const { service, receive, startNode } = await open(t, {
    now: () => new Date(Date.now() + hours * 3_600_000),
  });
  const receiver = await receive();
  receiver.answer((response) => response.writeHead(503).end());
  const ctx = await endpoint(service, 'enabled', receiver.url);
  const node = startNode();
  await appendEvents(ctx, eventsOf(enrolmentIds(2), 0));
  const call = (method: string, path: string, body?: unknown) =>
    service.api(method, path, body, undefined, { tenant: ctx.tenantId });
  const { WebhookID } = (await call('GET', '/webhook')).body.Items[0];
  const deliveries = async () => (await call('GET', `/webhook/${WebhookID}/delivery`)).body.Items;
  const isTried = async (attempts: number) =>
    (await deliveries()).every(
      (one: { Attempts: number; NextAttemptAt: string | null }) =>
        one.Attempts === attempts && one.NextAttemptAt !== null,
    ) && receiver.received.length === 2 * attempts;
  await until('both are tried', () => isTried(1));
  await node.stop(1_000);
  const versions = () =>
    sql`select xmin::text from webhook_delivery where tenant_id = ${ctx.tenantId} order by number`.execute(
      ctx.db,
    );
  const before = await versions();
  await call('PUT', `/webhook/${WebhookID}`, { Status: 'disabled' });
  hours = 80;
  await call('PUT', `/webhook/${WebhookID}`, { Status: 'enabled' });
  assert.deepEqual((await versions()).rows, before.rows);
  for (const { Status, NextAttemptAt } of await deliveries())
    assert.deepEqual([Status, NextAttemptAt], ['pending', null]);
  startNode();
  await until('both are tried again and scheduled for another attempt', () => isTried(2));
});
