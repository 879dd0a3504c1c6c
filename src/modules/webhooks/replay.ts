import type { TenantContext } from '../../platform/context.ts';
import { run, transaction } from '../../platform/db/transaction.ts';
import { Problem } from '../../platform/errors.ts';
import { appendAudit } from '../audit/append.ts';
import { webhookNotFound } from './record.ts';
import type { Replay } from './schemas.ts';
import { readWebhookRow } from './webhooks.ts';

const mostReplayed = 10_000;
/** Ids are made before the statement, which may wait for a password's hash or for the database. */
const longestDraft = 60_000;

/** An id begins with the time at which it was made: the key finds where to begin. */
const text = `
with again as (
  insert into webhook_delivery (tenant_id, webhook_id, delivery_id, event_id, type, lane, reason, created_at)
  select $1, $2, gen_random_uuid(), told.event_id, told.type,
    coalesce(told.enroll_id, told.user_id, told.event_id), 'replay', $3
  from event told
  where told.tenant_id = $1
    and ($4::uuid[] is null or told.event_id = any($4))
    and ($5::uuid is null or (told.event_id >= $5 and told.occurred_at >= $6 and told.occurred_at < $7))
    and ($8::text[] is null or told.type = any($8))
  order by told.epoch, told.transaction, told.event_id limit ${mostReplayed + 1}
  returning 1
)
select count(*)::integer as count from again`;

/** Sends events of the log again, those that the endpoint's Types let through, behind those that wait already. */
export async function replayEvents(
  ctx: TenantContext,
  input: Replay & { webhookId: string },
): Promise<{ Deliveries: number }> {
  await readWebhookRow(ctx, input);
  if ((input.EventIDs === undefined) === (input.From === undefined))
    throw new Problem('validation_failed', 'Send either EventIDs or From.', { param: 'EventIDs' });
  const now = ctx.now();
  const from = input.From === undefined ? null : new Date(input.From);
  const until = input.Until === undefined ? now : new Date(input.Until);
  return transaction(ctx, async (ctx) => {
    // The endpoint's row is locked first, so that numbers are given in the order of the commits.
    const endpoint = await ctx.db
      .updateTable('webhook')
      .set({ wake_at: now })
      .where('tenant_id', '=', ctx.tenantId)
      .where('webhook_id', '=', input.webhookId)
      .returning('types')
      .executeTakeFirst();
    if (!endpoint) throw webhookNotFound();
    const range = [from && lowestId(new Date(from.getTime() - longestDraft)), from, until];
    const [row] = await run<{ count: number }>(ctx, {
      name: 'webhook_replay',
      text,
      values: [ctx.tenantId, input.webhookId, now, input.EventIDs ?? null, ...range, endpoint.types],
    });
    const count = row?.count ?? 0;
    if (count > mostReplayed)
      throw new Problem(
        'validation_failed',
        `More than ${mostReplayed} events are in this range. Narrow it.`,
        {
          param: 'From',
        },
      );
    const data = { Deliveries: count };
    await appendAudit(ctx, ctx.tenantId, { action: 'webhook.replayed', targetId: input.webhookId, data });
    return data;
  });
}

function lowestId(at: Date): string {
  const hex = Math.max(0, at.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`;
}
