import type { Selectable } from 'kysely';
import type { TenantContext } from '../../platform/context.ts';
import type { WebhookDeliveryTable } from '../../platform/db/generated.ts';
import { type Condition, readRows } from '../../platform/db/page.ts';
import { foreignCursor, pageLimit, readCursor, toPage } from '../../platform/http/pagination.ts';
import { newId } from '../../platform/ids.ts';
import { countWithin } from '../../platform/load/limits.ts';
import { type Body, pingBody, pingType, readBodies } from './message.ts';
import { nextAttemptAt } from './next-attempt.ts';
import { type WebhookRow, webhookNotFound } from './record.ts';
import type { Delivery, DeliveryQuery } from './schemas.ts';
import { type Outcome, openSender } from './send.ts';
import { type Sources, sourceOf } from './source.ts';
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

/** Lists an endpoint's deliveries, newest first. */
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
  const isSent = row.url !== null && (body !== null || endpoint.kind === 'xapi');
  return {
    DeliveryID: row.delivery_id,
    EventID: row.event_id,
    Type: row.type,
    StatementIDs: row.statement_ids,
    Reason: row.reason,
    Status: row.status,
    Attempts: row.attempts,
    CreatedAt: row.created_at.toISOString(),
    AttemptedAt: row.attempted_at?.toISOString() ?? null,
    NextAttemptAt: nextAttemptAt(row, endpoint.enabled_at)?.toISOString() ?? null,
    Request: isSent ? { URL: row.url ?? '', Body: body } : null,
    Answer: row.response_status === null ? null : { Status: row.response_status, Body: row.response_body },
    Error: row.error,
    Milliseconds: row.milliseconds,
  };
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
