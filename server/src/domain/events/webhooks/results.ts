import type { Selectable } from 'kysely';
import type { WebhookDeliveryTable, WebhookTable } from '../../../db/engine/generated.ts';
import { updateOwn } from '../../../db/own-rows.ts';
import { run, transaction } from '../../../db/transaction.ts';
import { openQueue } from '../../../infra/calls/queue.ts';
import type { Context, TenantContext } from '../../../infra/context/context.ts';
import { deleteByTenant } from '../../../infra/operations/delete-by-tenant.ts';
import { isServed } from '../../../infra/operations/jobs.ts';
import { appendEvents } from '../append.ts';

/** How long a delivery is retried, and how long an endpoint may fail before it is disabled. */
export const failureWindowMilliseconds = 72 * 3_600_000;

const pausesInSeconds = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800];
const maxPauseInSeconds = 43_200;
export const maxPauseMilliseconds = maxPauseInSeconds * 1000;

/** When to retry after this many attempts, with up to 20 % jitter; null if there are no more retries. */
export function nextAttempt(input: {
  attempts: number;
  first: Date;
  now: Date;
  retryAfter: number | null;
  random?: () => number;
}): Date | null {
  const random = input.random ?? Math.random;
  const seconds = Math.max(pausesInSeconds[input.attempts - 1] ?? maxPauseInSeconds, input.retryAfter ?? 0);
  const end = input.first.getTime() + failureWindowMilliseconds;
  if (input.now.getTime() >= end) return null;
  return new Date(Math.min(end, input.now.getTime() + seconds * 1000 * (1 + random() / 5)));
}

type Tried = Pick<Selectable<WebhookDeliveryTable>, 'attempted_at' | 'next_attempt_at'>;

/**
 * The time at which a pending delivery is retried; null means now. When an endpoint is enabled, all
 * deliveries attempted before then become due.
 */
export function nextAttemptAt(
  { attempted_at, next_attempt_at }: Tried,
  enabledAt: Selectable<WebhookTable>['enabled_at'],
): Date | null {
  const isOld = enabledAt !== null && attempted_at !== null && attempted_at < enabledAt;
  return isOld ? null : next_attempt_at;
}

/** A pause that can be interrupted. */
export type Pause = { begin: (milliseconds: number) => Promise<void>; end: () => void };

export function openPause(): Pause {
  let end = () => {};
  return {
    begin: (milliseconds) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        end = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    end: () => end(),
  };
}

type Result = {
  webhook_id: string;
  delivery_id: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  first_attempt_at: Date;
  attempted_at: Date;
  next_attempt_at: Date | null;
  url: string;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
  milliseconds: number;
};

/**
 * A response may repeat the sent data, so it is not stored after an erasure. An erasure marks
 * existing deliveries, and this statement sees the mark even if it waited for the row. Later
 * deliveries have events that no longer identify the person.
 */
const isErased = `(held.person_erased or held.lane <> held.event_id and exists (
    select 1 from event where event.tenant_id = $1 and event.event_id = held.event_id and event.user_id is null))`;

const text = `
update webhook_delivery held set status = result.status, attempts = result.attempts,
  first_attempt_at = result.first_attempt_at, attempted_at = result.attempted_at,
  next_attempt_at = result.next_attempt_at, url = result.url, response_status = result.response_status,
  response_body = case when not ${isErased} then result.response_body end,
  error = case when not ${isErased} then result.error end, milliseconds = result.milliseconds
from jsonb_to_recordset($2::jsonb) as result (webhook_id uuid, delivery_id uuid, status text, attempts integer,
  first_attempt_at timestamptz, attempted_at timestamptz, next_attempt_at timestamptz, url text,
  response_status integer, response_body text, error text, milliseconds integer)
where held.tenant_id = $1 and held.webhook_id = result.webhook_id and held.delivery_id = result.delivery_id`;

/** Writes simultaneous results together. */
const resultQueue = openQueue<TenantContext, Result, true>({
  name: 'webhook_results',
  key: (result) => result.delivery_id,
  run: async (calls) => {
    const { ctx } = calls[0] as (typeof calls)[0];
    await run(ctx, text, [ctx.tenantId, JSON.stringify(calls.map(({ row }) => row))]);
    return calls.map(() => true);
  },
});

export const recordResult = (ctx: TenantContext, result: Result): Promise<true> =>
  resultQueue.add(ctx, result);

export async function recordHealth(
  ctx: TenantContext,
  input: { webhookId: string; failingSince: Date | null },
): Promise<void> {
  await updateOwn(ctx, 'webhook', { webhook_id: input.webhookId })
    .set({ failing_since: input.failingSince })
    .execute();
}

/**
 * Disables a failing endpoint. Nothing is lost, because the endpoint continues where it stopped
 * when it is enabled again.
 */
export async function disableFailing(
  ctx: TenantContext,
  input: { webhookId: string; failingSince: Date },
): Promise<void> {
  await transaction(ctx, async (ctx) => {
    const row = await updateOwn(ctx, 'webhook', { webhook_id: input.webhookId, status: 'enabled' })
      .set({ status: 'disabled', disabled_reason: 'failing', updated_at: ctx.now() })
      .returning('url')
      .executeTakeFirst();
    if (!row) return;
    await appendEvents(ctx, [
      {
        type: 'webhook.disabled',
        data: { WebhookID: input.webhookId, URL: row.url, FailingSince: input.failingSince.toISOString() },
      },
    ]);
  });
}

const purgeBatchSize = 500;

const findOld = `/* across tenants: old deliveries of all tenants */
select tenant_id, jsonb_build_object('webhook_id', webhook_id, 'delivery_id', delivery_id) as key from webhook_delivery
where status <> 'pending' and created_at < $1 and tenant_id <> all($3::text[])
  and ${isServed('tenant_id', '$4')} order by created_at limit $2`;

const purge = `
delete from webhook_delivery where tenant_id = $1 and (webhook_id, delivery_id) in (
  select held.webhook_id, held.delivery_id from webhook_delivery held
  join jsonb_to_recordset($2) as old (webhook_id uuid, delivery_id uuid)
    on held.webhook_id = old.webhook_id and held.delivery_id = old.delivery_id
  where held.tenant_id = $1 and held.status <> 'pending' and held.created_at < $3 for update of held skip locked
) returning 1`;

/** Job: removes finished deliveries after 30 days. Events stay in the log. */
export async function purgeDeliveries(ctx: Context): Promise<void> {
  const until = new Date(ctx.now().getTime() - 30 * 86_400_000);
  await deleteByTenant(ctx, {
    find: findOld,
    remove: purge,
    until,
    max: purgeBatchSize,
  });
}
