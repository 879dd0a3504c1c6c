import type { Context, TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import type { Position } from '../events/position.ts';
import type { Endpoint } from './message.ts';
import type { WebhookRow } from './record.ts';

/** An endpoint that this node has claimed. No other node delivers to it at the same time. */
export type Claimed = Endpoint & {
  tenantId: string;
  position: Position;
  failingSince: Date | null;
  /** When its tenant was resumed or the endpoint was enabled, whichever is later. Earlier delays are not failures. */
  resumedAt: Date | null;
  enabledAt: Date | null;
};

type ClaimedRow = WebhookRow & { resumed_at: Date | null };

/** A node that does not renew its claim for this long loses it to the others. */
const lease = `clock_timestamp() + interval '30 seconds'`;

const resumed = 'greatest(client.resumed_at, hook.enabled_at) as resumed_at';

/** Unclaimed endpoints of active tenants for which a delivery is due or the log has grown. */
const claim = `/* across tenants: nodes deliver for all tenants */
with free as (
  select hook.tenant_id, hook.webhook_id, ${resumed} from webhook hook
  join tenant client on client.tenant_id = hook.tenant_id and client.status = 'active'
  where hook.status = 'enabled' and (hook.owned_until is null or hook.owned_until < clock_timestamp())
    and (hook.wake_at <= $2 or hook.owner is not null or exists (
      select 1 from event join setting on setting.name = 'event_epoch'
      where event.tenant_id = hook.tenant_id
        and (event.epoch, event.transaction, event.event_id) > (hook.epoch, hook.transaction, hook.event_id)
        and (event.epoch < setting.value::bigint or event.transaction < pg_snapshot_xmin(pg_current_snapshot()))))
  order by hook.wake_at nulls last limit $3 for update of hook skip locked
)
update webhook hook set owner = $1, owned_until = ${lease}, wake_at = null
from free where hook.tenant_id = free.tenant_id and hook.webhook_id = free.webhook_id
returning hook.*, free.resumed_at`;

export async function claimEndpoints(ctx: Context, owner: string, max: number): Promise<Claimed[]> {
  const rows = await run<ClaimedRow>(ctx, {
    name: 'webhook_claim',
    text: claim,
    values: [owner, ctx.now(), max],
  });
  return rows.map(toClaimed);
}

/**
 * Renews the claim and returns the current endpoint; null if it was deleted, disabled or taken by another
 * node, or its tenant is suspended.
 */
export async function keepClaim(
  ctx: TenantContext,
  owner: string,
  webhookId: string,
): Promise<Claimed | null> {
  const [row] = await run<ClaimedRow>(ctx, {
    name: 'webhook_keep',
    text: `update webhook hook set owned_until = ${lease} from tenant client
      where hook.tenant_id = $1 and hook.webhook_id = $2 and hook.owner = $3 and hook.status = 'enabled'
        and client.tenant_id = $1 and client.status = 'active'
      returning hook.*, ${resumed}`,
    values: [ctx.tenantId, webhookId, owner],
  });
  return row ? toClaimed(row) : null;
}

/** A concurrent replay may have set `wake_at`; the earlier time counts. The position never moves back. */
export async function releaseClaim(
  ctx: TenantContext,
  input: { owner: string; webhookId: string; position: Position; wakeAt: Date | null },
): Promise<void> {
  const { epoch, transaction, eventId } = input.position;
  await run(ctx, {
    name: 'webhook_release',
    text: `update webhook set owner = null, owned_until = null, wake_at = least(wake_at, $4::timestamptz),
        (epoch, transaction, event_id) = (select place.epoch, place.transaction, place.event_id from (
          values (epoch, transaction, event_id), ($5::bigint, $6::xid8, $7::uuid)
        ) place (epoch, transaction, event_id) order by 1 desc, 2 desc, 3 desc limit 1)
      where tenant_id = $1 and webhook_id = $2 and owner = $3`,
    values: [ctx.tenantId, input.webhookId, input.owner, input.wakeAt, epoch, transaction, eventId],
  });
}

function toClaimed(row: ClaimedRow): Claimed {
  return {
    ...row,
    tenantId: row.tenant_id,
    position: { epoch: Number(row.epoch), transaction: row.transaction, eventId: row.event_id },
    failingSince: row.failing_since,
    resumedAt: row.resumed_at,
    enabledAt: row.enabled_at,
  };
}
