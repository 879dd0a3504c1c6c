import type { TenantContext } from '../../platform/context.ts';
import { countRows } from '../../platform/count-up-to.ts';
import { isInTransaction, joinTransaction, run, transaction } from '../../platform/db/transaction.ts';
import { Problem } from '../../platform/errors.ts';
import { appendAudit } from '../audit/append.ts';
import { maxReplayed } from './past-events.ts';
import { webhookNotFound } from './record.ts';
import type { Replay } from './schemas.ts';
import { type NewDelivery, type Sources, sourceOf } from './source.ts';
import { readWebhookRow } from './webhooks.ts';

/** Deliveries created per statement. Other work can run between statements. */
const batchSize = 200;

/** The lane is read again, because the person may have been erased in the meantime. */
const insert = `
insert into webhook_delivery (tenant_id, webhook_id, delivery_id, event_id, type, lane, statement_ids, reason, created_at)
select $1, $2, gen_random_uuid(), entry.event_id, entry.type,
  coalesce(event.enroll_id, event.user_id, event.event_id, entry.lane), entry.statement_ids, 'replay', $3
from jsonb_to_recordset($4::jsonb) as entry (n integer, event_id uuid, type text, lane uuid, statement_ids uuid[])
left join event on event.tenant_id = $1 and event.event_id = entry.event_id and entry.statement_ids is null
order by entry.n`;

const pending = `
select 1 from webhook_delivery delivery where delivery.tenant_id = $1 and delivery.webhook_id = $2 and delivery.status = 'pending'
order by delivery.number limit ${maxReplayed}`;

type EndpointReplay = Replay & { webhookId: string };
/** `deliveries` are in the order of the log. */
type Replayed = { webhookId: string; deliveries: NewDelivery[] };

/** Limits the backlog of an endpoint, so replays cannot fill the disk. */
async function requireRoom(ctx: TenantContext, webhookId: string, count: number): Promise<void> {
  const waiting = await countRows(ctx, pending, [webhookId]);
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
  webhookId: string,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  return transaction(ctx, async (ctx) => {
    const now = ctx.now();
    const endpoint = await ctx.db
      .updateTable('webhook')
      .set({ wake_at: now })
      .where('tenant_id', '=', ctx.tenantId)
      .where('webhook_id', '=', webhookId)
      .returning('webhook_id')
      .executeTakeFirst();
    if (!endpoint) throw webhookNotFound();
    await requireRoom(ctx, webhookId, deliveries.length);
    const entries = deliveries.map((delivery, n) => ({ n, ...delivery }));
    const values = [ctx.tenantId, webhookId, now, JSON.stringify(entries)];
    await run(ctx, { name: 'webhook_replay', text: insert, values });
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
    throw new Problem('validation_failed', 'Send either EventIDs or From.', { param: 'EventIDs' });
  const endpoint = await readWebhookRow(ctx, input);
  const deliveries = await sourceOf(sources, endpoint).findPast(ctx, { ...input, endpoint });
  return { webhookId: input.webhookId, deliveries };
}

/** Sends past records again, after the deliveries that are already pending. */
export async function replayEvents(ctx: TenantContext, input: Replayed): Promise<{ Deliveries: number }> {
  const { webhookId, deliveries } = input;
  await requireRoom(ctx, webhookId, deliveries.length);
  const data = { Deliveries: deliveries.length };
  const audit = (ctx: TenantContext) =>
    appendAudit(ctx, ctx.tenantId, { action: 'webhook.replayed', targetId: webhookId, data });
  const insertFrom = async (ctx: TenantContext, start: number, end: number) => {
    for (let at = start; at < end; at += batchSize)
      await insertBatch(ctx, webhookId, deliveries.slice(at, at + batchSize));
  };
  // The audit entry is written with the first deliveries, or with all of them if there is only one
  // transaction. In both cases it is written last, because the trail stays locked until the commit.
  const together = isInTransaction(ctx) ? Math.max(deliveries.length, batchSize) : batchSize;
  await joinTransaction(ctx, async (ctx) => {
    await insertFrom(ctx, 0, together);
    await audit(ctx);
  });
  await insertFrom(ctx, together, deliveries.length);
  return data;
}
