import { sql } from 'kysely';
import { ownRows } from '../../../db/own-rows.ts';
import { run } from '../../../db/transaction.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { newId } from '../../../lib/ids.ts';
import type { Claimed } from './claim.ts';
import type { Waiting } from './delivery-queues.ts';
import { nextAttemptAt } from './results.ts';
import type { Source } from './source.ts';

/**
 * Advances the position and creates the deliveries in one statement, unless another node has claimed the endpoint.
 * Creating deliveries locks the endpoint's row first, so numbers become visible in order.
 */
const store = `
with moved as (
  update webhook set position = $4 where tenant_id = $1 and webhook_id = $2 and owner = $3 and position = $5
  returning 1
)
insert into webhook_delivery (tenant_id, webhook_id, delivery_id, event_id, type, lane, statement_ids, reason, created_at)
select $1, $2, entry.delivery_id, entry.event_id, entry.type, entry.lane, entry.statement_ids, 'event', $6
from moved, jsonb_to_recordset($7::jsonb) as entry (n integer, delivery_id uuid, event_id uuid, type text, lane uuid,
  statement_ids uuid[])
order by entry.n
returning 1 as stored`;

/** Creates deliveries for this endpoint from the log after its position. `stored` is the position in the database. */
export async function createDeliveries(
  ctx: TenantContext,
  input: { owner: string; endpoint: Claimed; source: Source; position: number },
): Promise<{ position: number; stored: number; more: boolean }> {
  const { owner, endpoint, source } = input;
  const log = await source.readLog(ctx, { endpoint, after: input.position });
  const { deliveries, position, hasMore } = log;
  const stored = endpoint.position;
  if (deliveries.length === 0) return { position, stored, more: hasMore };
  const now = ctx.now();
  const entries = deliveries.map((delivery, n) => ({ n, delivery_id: newId(now), ...delivery }));
  const rows = await run<{ stored: number }>(ctx, store, [
    ctx.tenantId,
    endpoint.webhook_id,
    owner,
    position,
    stored,
    now,
    JSON.stringify(entries),
  ]);
  if (rows.length === 0) throw new Error('The endpoint was claimed by another node.');
  return { position, stored: position, more: hasMore };
}

/**
 * Returns pending deliveries with higher numbers than `afterNumber`. A node that has just claimed the endpoint reads all of them; later, it
 * reads only replayed deliveries.
 */
export async function readPending(
  ctx: TenantContext,
  input: { webhookId: string; enabledAt: Date | null; afterNumber: number; max: number },
): Promise<Waiting[]> {
  const rows = await ownRows(ctx, 'webhook_delivery', { webhook_id: input.webhookId })
    .select(['delivery_id', 'number', 'event_id', 'lane', 'attempts', 'reason'])
    .select(['first_attempt_at', 'attempted_at', 'next_attempt_at'])
    .where('status', '=', sql.lit('pending'))
    .where('number', '>', input.afterNumber)
    .orderBy('number')
    .limit(input.max)
    .execute();
  return rows.map((row) => ({
    deliveryId: row.delivery_id,
    number: row.number,
    eventId: row.event_id,
    isReplay: row.reason === 'replay',
    lane: row.lane,
    attempts: row.attempts,
    first: row.first_attempt_at,
    next: nextAttemptAt(row, input.enabledAt),
  }));
}
