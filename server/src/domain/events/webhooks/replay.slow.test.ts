import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { startService } from '../../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant } from '../../../../test/support/tenant.ts';
import { numberEvents } from '../write.ts';
import { replayEvents } from './deliveries.ts';

const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
after(service.close);

/** A tenant with a disabled endpoint and this many events about users who do not exist. */
async function withEvents(count: number) {
  const { TenantID, api } = await newTenant(service);
  const { body: hook } = await api('POST', '/webhook', { URL: 'http://127.0.0.1:9/', Status: 'disabled' });
  const add = async (count: number) => {
    await sql`insert into event (tenant_id, event_id, type, occurred_at, user_id, data)
      select ${TenantID}, gen_random_uuid(), 'user.updated', now(), gen_random_uuid(), '{}'
      from generate_series(1, ${count}::integer)`.execute(service.ctx.db);
    await numberEvents(service.ctx, [TenantID]);
  };
  await add(count);
  const { rows: eventIds } = await sql<{ event_id: string }>`
    select event_id from event where tenant_id = ${TenantID} and type = 'user.updated'
    order by position`.execute(service.ctx.db);
  const made = async () => {
    const { rows } = await sql<{ event_id: string; statement: string }>`
      select event_id, xmin::text as statement from webhook_delivery
      where tenant_id = ${TenantID} order by number`.execute(service.ctx.db);
    return rows;
  };
  const replay = (body: object, headers?: Record<string, string>) =>
    api('POST', `/webhook/${hook.WebhookID}/replay`, body, headers);
  return { TenantID, api, hook, add, eventIds: eventIds.map(({ event_id }) => event_id), made, replay };
}

test('a replay creates at most 200 deliveries per transaction, in log order, and only once per Idempotency-Key', async () => {
  const { eventIds, made, replay } = await withEvents(450);
  const byId = { EventIDs: eventIds };
  assert.deepEqual((await replay(byId)).body, { Deliveries: 450 });
  const first = await made();
  assert.deepEqual(
    first.map(({ event_id }) => event_id),
    eventIds,
  );
  assert.deepEqual(
    [...Map.groupBy(first, ({ statement }) => statement).values()].map(({ length }) => length),
    [200, 200, 50],
  );
  const key = { 'idempotency-key': 'once' };
  assert.deepEqual((await replay(byId, key)).body, { Deliveries: 450 });
  assert.deepEqual((await replay(byId, key)).body, { Deliveries: 450 });
  assert.equal((await made()).length, 900);
});

test('an endpoint has at most 10,000 pending replayed deliveries, so that replays cannot fill the disk', async () => {
  const { TenantID, hook, add, made, replay, eventIds } = await withEvents(1_000);
  const ctx = { ...service.ctx, tenantId: TenantID };
  const deliveries = eventIds.map((event_id) => ({ event_id, type: 'user.updated', lane: event_id }));
  for (let time = 0; time < 10; time++)
    await replayEvents(ctx, { webhookId: hook.WebhookID, kind: 'events', deliveries });
  const refused = await replay({ EventIDs: eventIds.slice(0, 1) });
  expectProblem(refused, 429, 'too_many_requests');
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal((await made()).length, 10_000);
  await sql`update webhook_delivery set status = 'delivered' where tenant_id = ${TenantID}`.execute(ctx.db);
  expectStatus(await replay({ EventIDs: eventIds.slice(0, 1) }), 200);
  await add(9_001);
  await sql`update event set event_id = overlay(event_id::text placing 'ffffffff' from 1 for 8)::uuid
    where tenant_id = ${TenantID}`.execute(ctx.db);
  expectProblem(await replay({ From: '2020-01-01T00:00:00Z' }), 422, 'validation_failed');
});

test('a replay reads at most 50,000 events, even if few of them match', async () => {
  const { TenantID, add, replay, hook, api } = await withEvents(1);
  expectStatus(await api('PUT', `/webhook/${hook.WebhookID}`, { Types: ['user.erased'] }), 200);
  await add(50_000);
  await sql`update event set event_id = overlay(event_id::text placing 'ffffffff' from 1 for 8)::uuid
    where tenant_id = ${TenantID}`.execute(service.ctx.db);
  expectProblem(await replay({ From: '2020-01-01T00:00:00Z' }), 422, 'validation_failed', 'From');
});

test('simultaneous replays together stay within the limit', async () => {
  const { made, replay, eventIds } = await withEvents(1_000);
  const replies = await Promise.all(Array.from({ length: 13 }, () => replay({ EventIDs: eventIds })));
  const statuses = Map.groupBy(replies, ({ status }) => status);
  assert.deepEqual(new Set(statuses.keys()), new Set([200, 429]));
  const all = await made();
  assert.ok(all.length > 9_000 && all.length <= 10_000, `${all.length} deliveries were created`);
});
