import type { Selectable } from 'kysely';
import type { WebhookDeliveryTable } from '../../../db/engine/generated.ts';
import { updateOwn } from '../../../db/own-rows.ts';
import { type Condition, countTenantRows, readRows } from '../../../db/page.ts';
import { isInTransaction, joinTransaction, run, transaction } from '../../../db/transaction.ts';
import { foreignCursor, pageLimit, readCursor, toPage } from '../../../http/pagination.ts';
import { recordOf } from '../../../http/records.ts';
import { countWithin } from '../../../infra/calls/limits.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { invalid, Problem } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import { audit } from '../../audit/chain.ts';
import { type Body, pingBody, pingType, readBodies } from './message.ts';
import { maxReplayed } from './past-events.ts';
import { type WebhookRow, webhookNotFound } from './record.ts';
import { nextAttemptAt } from './results.ts';
import { Delivery, type DeliveryQuery, type Replay, type WebhookKind } from './schemas.ts';
import { type Outcome, openSender } from './send.ts';
import { type NewDelivery, type Sources, sourceOf } from './source.ts';
import { readWebhookRow } from './webhooks.ts';

type DeliveryRow = Selectable<WebhookDeliveryTable>;

/** SQL for each filter. The indexes by event and by lane (the enrolment) are ordered by number. */
function conditionsOf({ EventID, EnrollID, Status }: DeliveryQuery) {
  const conditions: Condition[] = [];
  if (EventID !== undefined) conditions.push(({ add }) => `held.event_id = ${add(EventID)}::uuid`);
  if (EnrollID !== undefined) conditions.push(({ add }) => `held.lane = ${add(EnrollID)}::uuid`);
  if (Status !== undefined) conditions.push(({ add }) => `held.status = ${add(Status)}`);
  return conditions;
}

export async function listDeliveries(ctx: TenantContext, input: DeliveryQuery & { webhookId: string }) {
  const endpoint = await readWebhookRow(ctx, input);
  const limit = pageLimit(input);
  const before = readCursor(input);
  if (before !== null && !/^\d{1,15}$/.test(before)) throw foreignCursor();
  const list = {
    rows: 'webhook_delivery held where held.tenant_id = $1 and held.webhook_id = $2',
    values: [ctx.tenantId, input.webhookId],
    where: conditionsOf(input),
    key: ['number'],
    after: before === null ? null : [Number(before)],
    newest: true,
  };
  const rows = await readRows<DeliveryRow>(ctx, list, limit + 1);
  const events = endpoint.kind === 'events' ? rows.map((row) => row.event_id) : [];
  const bodies = await readBodies(ctx, events);
  return toPage(
    rows,
    limit,
    (row) => String(row.number),
    (row) => toDelivery(row, bodyOf(row, endpoint, bodies), endpoint),
  );
}

function bodyOf(row: DeliveryRow, endpoint: WebhookRow, bodies: Map<string, Body>): Body | null {
  const { kind, webhook_id: webhookId } = endpoint;
  if (kind === 'events' && row.type === pingType)
    return pingBody({ eventId: row.event_id, webhookId, at: row.created_at });
  return bodies.get(row.event_id) ?? null;
}

function toDelivery(row: DeliveryRow, body: Body | null, endpoint: WebhookRow): Delivery {
  const isSent = row.url !== null && (body !== null || endpoint.kind !== 'events');
  return recordOf(Delivery, row, {
    NextAttemptAt: nextAttemptAt(row, endpoint.enabled_at)?.toISOString() ?? null,
    Request: isSent ? { URL: row.url ?? '', Body: body } : null,
    Answer: row.response_status === null ? null : { Status: row.response_status, Body: row.response_body },
  });
}

type Ping = { endpoint: WebhookRow; at: Date; eventId: string; outcome: Outcome };

/** Sends a test event once, even to a disabled endpoint. */
export async function sendPing(
  ctx: TenantContext,
  sources: Sources,
  input: { webhookId: string },
): Promise<Ping> {
  const endpoint = await readWebhookRow(ctx, input);
  const at = ctx.now();
  const eventId = newId(at);
  countWithin(ctx, 'pings', ctx.tenantId);
  const sender = openSender(ctx.config);
  try {
    const { signal: stop } = new AbortController();
    const outcome = await sourceOf(sources, endpoint).ping(ctx, { endpoint, eventId, sender, at, stop });
    return { endpoint, at, eventId, outcome };
  } finally {
    sender.close();
  }
}

export async function recordPing(
  ctx: TenantContext,
  { endpoint, at, eventId, outcome }: Ping,
): Promise<Delivery> {
  const row = await ctx.db
    .insertInto('webhook_delivery')
    .values({
      tenant_id: ctx.tenantId,
      webhook_id: endpoint.webhook_id,
      delivery_id: newId(at),
      event_id: eventId,
      type: pingType,
      lane: eventId,
      reason: 'ping',
      status: outcome.delivered ? 'delivered' : 'failed',
      attempts: 1,
      created_at: at,
      first_attempt_at: at,
      attempted_at: at,
      url: endpoint.url,
      response_status: outcome.status,
      response_body: outcome.body,
      error: outcome.error,
      milliseconds: outcome.milliseconds,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch((error: { code?: string }) => {
      // The endpoint was deleted while the ping was in progress.
      throw error.code === '23503' ? webhookNotFound() : error;
    });
  return toDelivery(row, bodyOf(row, endpoint, new Map()), endpoint);
}

/** Deliveries created per statement. Other work can run between statements. */
const batchSize = 200;

/** The lane of an event is read again, because the person may have been erased in the meantime. */
const insert = `
insert into webhook_delivery (tenant_id, webhook_id, delivery_id, event_id, type, lane, statement_ids, reason, created_at)
select $1, $2, gen_random_uuid(), entry.event_id, entry.type,
  coalesce(event.enroll_id, event.user_id, event.event_id, entry.lane), entry.statement_ids, 'replay', $3
from jsonb_to_recordset($4::jsonb) as entry (n integer, event_id uuid, type text, lane uuid, statement_ids uuid[])
left join event on event.tenant_id = $1 and event.event_id = entry.event_id and $5::boolean
order by entry.n`;

const pending = `
select 1 from webhook_delivery delivery where delivery.tenant_id = $1 and delivery.webhook_id = $2 and delivery.status = 'pending'
order by delivery.number limit ${maxReplayed}`;

type EndpointReplay = Replay & { webhookId: string };
/** `deliveries` are in the order of the log. */
type Replayed = { webhookId: string; kind: WebhookKind; deliveries: NewDelivery[] };

/** Limits the backlog of an endpoint, so replays cannot fill the disk. */
async function requireRoom(ctx: TenantContext, webhookId: string, count: number): Promise<void> {
  const waiting = await countTenantRows(ctx, pending, [webhookId]);
  if (waiting + count > maxReplayed)
    throw new Problem(
      'too_many_requests',
      `${waiting === maxReplayed ? `${maxReplayed} or more` : waiting} deliveries to this endpoint are pending; the maximum is ${maxReplayed}. Replay again when they have been delivered.`,
      { retryAfter: 60 },
    );
}

/**
 * Locks the endpoint's row first. Numbers are then assigned in commit order, and simultaneous
 * replays cannot exceed the limit together.
 */
function insertBatch(
  ctx: TenantContext,
  { webhookId, kind }: Replayed,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  return transaction(ctx, async (ctx) => {
    const now = ctx.now();
    const endpoint = await updateOwn(ctx, 'webhook', { webhook_id: webhookId })
      .set({ wake_at: now })
      .returning('webhook_id')
      .executeTakeFirst();
    if (!endpoint) throw webhookNotFound();
    await requireRoom(ctx, webhookId, deliveries.length);
    const entries = deliveries.map((delivery, n) => ({ n, ...delivery }));
    await run(ctx, insert, [ctx.tenantId, webhookId, now, JSON.stringify(entries), kind === 'events']);
  });
}

/**
 * Finds the records before the transaction starts. On the embedded database, all other statements
 * wait until a transaction ends.
 */
export async function findReplayed(
  ctx: TenantContext,
  sources: Sources,
  input: EndpointReplay,
): Promise<Replayed> {
  if ((input.EventIDs === undefined) === (input.From === undefined))
    throw invalid('EventIDs', 'Send either EventIDs or From.');
  const endpoint = await readWebhookRow(ctx, input);
  const deliveries = await sourceOf(sources, endpoint).findPast(ctx, { ...input, endpoint });
  return { webhookId: input.webhookId, kind: endpoint.kind, deliveries };
}

/** Sends past records again, after the deliveries that are already pending. */
export async function replayEvents(ctx: TenantContext, input: Replayed): Promise<{ Deliveries: number }> {
  const { webhookId, deliveries } = input;
  await requireRoom(ctx, webhookId, deliveries.length);
  const data = { Deliveries: deliveries.length };
  const insertFrom = async (ctx: TenantContext, start: number, end: number) => {
    for (let at = start; at < end; at += batchSize)
      await insertBatch(ctx, input, deliveries.slice(at, at + batchSize));
  };
  // The audit entry is written with the first deliveries, or with all of them if there is only one
  // transaction. In both cases it is written last, because the trail stays locked until the commit.
  const together = isInTransaction(ctx) ? Math.max(deliveries.length, batchSize) : batchSize;
  await joinTransaction(ctx, async (ctx) => {
    await insertFrom(ctx, 0, together);
    await audit(ctx, 'webhook.replayed', webhookId, data);
  });
  await insertFrom(ctx, together, deliveries.length);
  return data;
}
