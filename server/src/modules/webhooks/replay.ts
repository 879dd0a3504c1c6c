import type { TenantContext } from '../../platform/context.ts';
import { run, transaction } from '../../platform/db/transaction.ts';
import { Problem } from '../../platform/errors.ts';
import { appendAudit } from '../audit/append.ts';
import { webhookNotFound } from './record.ts';
import type { Replay } from './schemas.ts';
import { readWebhookRow } from './webhooks.ts';

const mostReplayed = 10_000;
/** IDs are created before the statement, which may have to wait for a password's hash or for the database. */
const longestDraft = 60_000;

/** Deliveries created by one statement; other work runs between two of them. */
const portion = 200;

/** An ID begins with its creation time, so the primary key finds where to begin. */
const find = `
select told.event_id from event told
where told.tenant_id = $1
  and ($2::uuid[] is null or told.event_id = any($2))
  and ($3::uuid is null or (told.event_id >= $3 and told.occurred_at >= $4 and told.occurred_at < $5))
  and ($6::text[] is null or told.type = any($6))
order by told.epoch, told.transaction, told.event_id limit ${mostReplayed + 1}`;

const insert = `
insert into webhook_delivery (tenant_id, webhook_id, delivery_id, event_id, type, lane, reason, created_at)
select $1, $2, gen_random_uuid(), told.event_id, told.type,
  coalesce(told.enroll_id, told.user_id, told.event_id), 'replay', $3
from event told where told.tenant_id = $1 and told.event_id = any($4::uuid[])
order by told.epoch, told.transaction, told.event_id`;

const countWaiting = `
select count(*)::integer as waiting from (
  select 1 from webhook_delivery held
  where held.tenant_id = $1 and held.webhook_id = $2 and held.status = 'pending' limit ${mostReplayed}
) known`;

type Own = Replay & { webhookId: string };

async function eventsOf(ctx: TenantContext, input: Own, types: string[] | null): Promise<string[]> {
  const from = input.From === undefined ? null : new Date(input.From);
  const until = input.Until === undefined ? ctx.now() : new Date(input.Until);
  const range = [from && lowestId(new Date(from.getTime() - longestDraft)), from, until];
  const values = [ctx.tenantId, input.EventIDs ?? null, ...range, types];
  const rows = await run<{ event_id: string }>(ctx, { name: 'webhook_replayed', text: find, values });
  if (rows.length > mostReplayed)
    throw new Problem('validation_failed', `More than ${mostReplayed} events are in this range. Narrow it.`, {
      param: 'From',
    });
  return rows.map(({ event_id }) => event_id);
}

/** The backlog of an endpoint is limited, so that replays cannot fill the disk. */
async function requireRoom(ctx: TenantContext, input: Own, count: number): Promise<void> {
  const values = [ctx.tenantId, input.webhookId];
  const [row] = await run<{ waiting: number }>(ctx, { name: 'webhook_waiting', text: countWaiting, values });
  const waiting = row?.waiting ?? 0;
  if (waiting + count > mostReplayed)
    throw new Problem(
      'too_many_requests',
      `${waiting === mostReplayed ? `${mostReplayed} or more` : waiting} deliveries to this endpoint are pending; the maximum is ${mostReplayed}. Replay again when they have been delivered.`,
      { retryAfter: 60 },
    );
}

/** The endpoint's row is locked first, so that numbers are assigned in commit order. */
function insertPortion(ctx: TenantContext, input: Own, eventIds: string[]): Promise<void> {
  return transaction(ctx, async (ctx) => {
    const now = ctx.now();
    const endpoint = await ctx.db
      .updateTable('webhook')
      .set({ wake_at: now })
      .where('tenant_id', '=', ctx.tenantId)
      .where('webhook_id', '=', input.webhookId)
      .returning('webhook_id')
      .executeTakeFirst();
    if (!endpoint) throw webhookNotFound();
    const values = [ctx.tenantId, input.webhookId, now, eventIds];
    await run(ctx, { name: 'webhook_replay', text: insert, values });
  });
}

/** Sends events from the log again, filtered by the endpoint's Types, after those already pending. */
export async function replayEvents(ctx: TenantContext, input: Own): Promise<{ Deliveries: number }> {
  if ((input.EventIDs === undefined) === (input.From === undefined))
    throw new Problem('validation_failed', 'Send either EventIDs or From.', { param: 'EventIDs' });
  const { types } = await readWebhookRow(ctx, input);
  const eventIds = await eventsOf(ctx, input, types);
  await requireRoom(ctx, input, eventIds.length);
  const data = { Deliveries: eventIds.length };
  await appendAudit(ctx, ctx.tenantId, { action: 'webhook.replayed', targetId: input.webhookId, data });
  for (let at = 0; at < eventIds.length; at += portion)
    await insertPortion(ctx, input, eventIds.slice(at, at + portion));
  return data;
}

function lowestId(at: Date): string {
  const hex = Math.max(0, at.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`;
}
