import { sql } from 'kysely';
import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { readLog } from '../events/log.ts';
import type { Claimed } from './claim.ts';
import type { Waiting } from './lanes.ts';
import { nextAttemptAt } from './pending.ts';

const maxConcurrent = 500;

/**
 * Advances the position and creates the deliveries in one statement, unless another node has claimed the endpoint.
 * Creating deliveries locks the endpoint's row first, so numbers become visible in order.
 */
const store = `
with moved as (
  update webhook set position = $4 where tenant_id = $1 and webhook_id = $2 and owner = $3 and position = $5
  returning 1
)
insert into webhook_delivery (tenant_id, webhook_id, delivery_id, event_id, type, lane, reason, created_at)
select $1, $2, entry.delivery_id, entry.event_id, entry.type, entry.lane, 'event', $6
from moved, jsonb_to_recordset($7::jsonb) as entry (n integer, delivery_id uuid, event_id uuid, type text, lane uuid)
order by entry.n
returning 1 as stored`;

/**
 * Creates deliveries for this endpoint from the events after its position. `stored` is the position in the database.
 */
export async function createDeliveries(
  ctx: TenantContext,
  input: { owner: string; endpoint: Claimed; position: number },
): Promise<{ position: number; stored: number; more: boolean }> {
  const { owner, endpoint } = input;
  const {
    events,
    position: { position },
    hasMore,
  } = await readLog(ctx, {
    after: { position: input.position, eventId: null },
    types: endpoint.types,
    limit: maxConcurrent,
  });
  const stored = endpoint.position;
  if (events.length === 0) return { position, stored, more: hasMore };
  const now = ctx.now();
  const entries = events.map(({ event, userId }, n) => ({
    n,
    delivery_id: newId(now),
    event_id: event.EventID,
    type: event.Type,
    lane: event.EnrollID ?? userId ?? event.EventID,
  }));
  const rows = await run<{ stored: number }>(ctx, {
    name: 'webhook_create_deliveries',
    text: store,
    values: [ctx.tenantId, endpoint.webhook_id, owner, position, stored, now, JSON.stringify(entries)],
  });
  if (rows.length === 0) throw new Error('The endpoint was claimed by another node.');
  return { position, stored: position, more: hasMore || events.length === maxConcurrent };
}

/**
 * Pending deliveries after a number. A node that has just claimed the endpoint reads all of them, and later only
 * replayed ones.
 */
export async function readPending(
  ctx: TenantContext,
  input: { webhookId: string; enabledAt: Date | null; afterNumber: number; max: number },
): Promise<Waiting[]> {
  const rows = await ctx.db
    .selectFrom('webhook_delivery')
    .select(['delivery_id', 'number', 'event_id', 'lane', 'attempts'])
    .select(['first_attempt_at', 'attempted_at', 'next_attempt_at'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('webhook_id', '=', input.webhookId)
    .where('status', '=', sql.lit('pending'))
    .where('number', '>', input.afterNumber)
    .orderBy('number')
    .limit(input.max)
    .execute();
  return rows.map((row) => ({
    deliveryId: row.delivery_id,
    number: row.number,
    eventId: row.event_id,
    lane: row.lane,
    attempts: row.attempts,
    first: row.first_attempt_at,
    next: nextAttemptAt(row, input.enabledAt),
  }));
}
