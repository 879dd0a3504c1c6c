import type { TenantContext } from '../../platform/context.ts';
import { countRows } from '../../platform/count-up-to.ts';
import { run, transaction } from '../../platform/db/transaction.ts';
import { Problem } from '../../platform/errors.ts';
import { lowestId } from '../../platform/ids.ts';
import { appendAudit } from '../audit/append.ts';
import { webhookNotFound } from './record.ts';
import type { Replay } from './schemas.ts';
import { readWebhookRow } from './webhooks.ts';

const maxReplayed = 10_000;
/** Maximum number of events that a replay reads, because other callers' lists wait meanwhile. */
const maxVisited = 50_000;
/** Maximum time between the creation of an event's ID and its insertion, which may wait for a password hash or the database. */
const maxInsertDelay = 60_000;

/** Deliveries that one statement creates. Other work runs between statements. */
const batchSize = 200;

const named = `
select event.event_id, event.position, true as matches from event
where event.tenant_id = $1 and event.event_id = any($2::uuid[]) and ($3::text[] is null or event.type = any($3))`;

/**
 * IDs start with their creation time, so the primary key finds the start. A page reads a fixed number of events,
 * whether or not they match.
 */
const pageRows = 500;
const inRange = `
with page as (
  select held.event_id, held.position, held.type, held.occurred_at from event held
  where held.tenant_id = $1 and held.event_id > $2::uuid
  order by held.event_id limit ${pageRows}
)
select page.event_id, page.position,
  page.occurred_at >= $3 and page.occurred_at < $4 and ($5::text[] is null or page.type = any($5)) as matches
from page order by page.event_id`;

const insert = `
insert into webhook_delivery (tenant_id, webhook_id, delivery_id, event_id, type, lane, reason, created_at)
select $1, $2, gen_random_uuid(), event.event_id, event.type,
  coalesce(event.enroll_id, event.user_id, event.event_id), 'replay', $3
from event where event.tenant_id = $1 and event.event_id = any($4::uuid[])
order by event.position`;

const pending = `
select 1 from webhook_delivery held where held.tenant_id = $1 and held.webhook_id = $2 and held.status = 'pending'
order by held.number limit ${maxReplayed}`;

type Own = Replay & { webhookId: string };
/** `eventIds` are in the order of the log. */
type Replayed = { webhookId: string; eventIds: string[] };

type Found = { event_id: string; position: number; matches: boolean };

/** Events in the order of the log. */
async function eventsOf(ctx: TenantContext, input: Own, types: string[] | null): Promise<string[]> {
  const found = input.EventIDs
    ? await run<Found>(ctx, {
        name: 'webhook_replayed',
        text: named,
        values: [ctx.tenantId, input.EventIDs, types],
      })
    : await eventsInRange(ctx, input, types);
  return found.sort((one, other) => one.position - other.position).map(({ event_id }) => event_id);
}

async function eventsInRange(ctx: TenantContext, input: Own, types: string[] | null): Promise<Found[]> {
  const from = new Date(input.From ?? 0);
  const until = input.Until === undefined ? ctx.now() : new Date(input.Until);
  const found: Found[] = [];
  let after: string | undefined = lowestId(new Date(from.getTime() - maxInsertDelay));
  let visited = 0;
  while (after !== undefined && found.length <= maxReplayed) {
    if (visited >= maxVisited)
      throw new Problem(
        'validation_failed',
        `This range contains more than ${maxVisited} events of all types. Choose a shorter range.`,
        { param: 'From' },
      );
    const values = [ctx.tenantId, after, from, until, types];
    const page: Found[] = await run<Found>(ctx, { name: 'webhook_replayed_range', text: inRange, values });
    found.push(...page.filter(({ matches }) => matches));
    visited += page.length;
    after = page.length === pageRows ? page.at(-1)?.event_id : undefined;
  }
  if (found.length > maxReplayed)
    throw new Problem(
      'validation_failed',
      `This range contains more than ${maxReplayed} events. Choose a shorter range.`,
      {
        param: 'From',
      },
    );
  return found;
}

/** The backlog of an endpoint is limited, so that replays cannot fill the disk. */
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
 * The endpoint's row is locked first, so that numbers are assigned in commit order and simultaneous replays do not
 * exceed the limit together.
 */
function insertBatch(ctx: TenantContext, webhookId: string, eventIds: string[]): Promise<void> {
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
    await requireRoom(ctx, webhookId, eventIds.length);
    const values = [ctx.tenantId, webhookId, now, eventIds];
    await run(ctx, { name: 'webhook_replay', text: insert, values });
  });
}

/**
 * Finds the events before any transaction, because on the embedded database all other statements wait for a transaction
 * to end.
 */
export async function findReplayed(ctx: TenantContext, input: Own): Promise<Replayed> {
  if ((input.EventIDs === undefined) === (input.From === undefined))
    throw new Problem('validation_failed', 'Send either EventIDs or From.', { param: 'EventIDs' });
  const { types } = await readWebhookRow(ctx, input);
  return { webhookId: input.webhookId, eventIds: await eventsOf(ctx, input, types) };
}

/** Sends events from the log again, filtered by the endpoint's Types, after the deliveries that are already pending. */
export async function replayEvents(ctx: TenantContext, input: Replayed): Promise<{ Deliveries: number }> {
  const { webhookId, eventIds } = input;
  await requireRoom(ctx, webhookId, eventIds.length);
  const data = { Deliveries: eventIds.length };
  await appendAudit(ctx, ctx.tenantId, { action: 'webhook.replayed', targetId: webhookId, data });
  for (let at = 0; at < eventIds.length; at += batchSize)
    await insertBatch(ctx, webhookId, eventIds.slice(at, at + batchSize));
  return data;
}
