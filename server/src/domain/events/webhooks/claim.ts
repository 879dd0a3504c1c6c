import { run } from '../../../db/transaction.ts';
import type { Context, TenantContext } from '../../../infra/context/context.ts';
import { isServed, servedTenants } from '../../../infra/operations/jobs.ts';
import type { WebhookRow } from './record.ts';
import type { Sources } from './source.ts';

/**
 * Limits how many deliveries run concurrently. If no slot is free, `whenFree` is called when one becomes
 * free. Tenants take turns, and so do the endpoints of each tenant. An endpoint is in the queue at most once.
 */
export type Slots = {
  take: (tenantId: string, whenFree: () => void) => boolean;
  /** Takes a slot as soon as one is free. */
  enter: (tenantId: string) => Promise<void>;
  release: () => void;
  /** Passes a slot to the next endpoint in the queue, if there is one, and takes a slot again when one is free. */
  passOn: (tenantId: string) => Promise<void>;
};

export function openSlots(maxConcurrent: number): Slots {
  let taken = 0;
  const tenants = new Map<string, Set<() => void>>();
  const next = (): (() => void) | undefined => {
    const [first] = tenants;
    if (!first || taken >= maxConcurrent) return undefined;
    const [tenantId, waiting] = first;
    const [whenFree] = waiting;
    tenants.delete(tenantId);
    if (whenFree) waiting.delete(whenFree);
    if (waiting.size > 0) tenants.set(tenantId, waiting);
    return whenFree;
  };
  const slots: Slots = {
    take(tenantId, whenFree) {
      if (taken < maxConcurrent) {
        taken++;
        return true;
      }
      const waiting = tenants.get(tenantId) ?? new Set();
      tenants.set(tenantId, waiting.add(whenFree));
      return false;
    },
    release() {
      taken--;
      for (let whenFree = next(); whenFree; whenFree = next()) whenFree();
    },
    enter: (tenantId) =>
      new Promise((resolve) => {
        const tryToTake = () => {
          if (slots.take(tenantId, tryToTake)) resolve();
        };
        tryToTake();
      }),
    passOn(tenantId) {
      slots.release();
      return slots.enter(tenantId);
    },
  };
  return slots;
}

/** An endpoint that this node has claimed. No other node delivers to it at the same time. */
export type Claimed = WebhookRow & {
  tenantId: string;
  /** The position in the log up to which deliveries have been created. */
  position: number;
  failingSince: Date | null;
  /**
   * The time at which its tenant was resumed or the endpoint was enabled, whichever is later.
   * Earlier delays are not failures.
   */
  resumedAt: Date | null;
  enabledAt: Date | null;
};

type ClaimedRow = WebhookRow & { resumed_at: Date | null };

/** If a node does not renew its claim for this long, other nodes can take it over. */
const lease = `now() + interval '30 seconds'`;

const resumed = 'greatest(client.resumed_at, hook.enabled_at) as resumed_at';

const isUnclaimed = `hook.status = 'enabled' and (hook.owned_until is null or hook.owned_until < now())`;

/** Whether the log of an endpoint's kind has grown. */
const hasMore = (sources: Sources) =>
  Object.entries(sources)
    .map(([kind, source]) => `hook.kind = '${kind}' and ${source.hasMore}`)
    .join(' or ');

/**
 * Unclaimed endpoints of active tenants for which a delivery is due or the log has grown. Locks nothing, because Citus
 * cannot lock rows of several tenants.
 */
const find = (sources: Sources) => `/* across tenants: nodes deliver for all tenants */
select hook.tenant_id, hook.webhook_id from webhook hook
join tenant client on client.tenant_id = hook.tenant_id and client.status = 'active'
where ${isUnclaimed} and hook.kind = any ($3) and ${isServed('hook.tenant_id', '$4')} and (
  hook.wake_at <= $1 or hook.owner is not null or ${hasMore(sources)})
order by hook.wake_at nulls last limit $2`;

/**
 * Claims endpoints of one tenant. Skips endpoints that another node is claiming or that their tenant is changing, so no
 * tenant waits for another's locks.
 */
const claim = `
with free as (
  select hook.webhook_id from webhook hook
  where hook.tenant_id = $1 and hook.webhook_id = any ($2::uuid[]) and ${isUnclaimed} for update skip locked
)
update webhook hook set owner = $3, owned_until = ${lease}, wake_at = null
from free, tenant client
where hook.tenant_id = $1 and hook.webhook_id = free.webhook_id and client.tenant_id = $1 and client.status = 'active'
returning hook.*, ${resumed}`;

type Found = { tenant_id: string; webhook_id: string };

export async function claimEndpoints(
  ctx: Context,
  input: { owner: string; max: number; sources: Sources },
): Promise<Claimed[]> {
  const { owner, max, sources } = input;
  const kinds = Object.keys(sources);
  const found = await run<Found>(ctx, find(sources), [ctx.now(), max, kinds, await servedTenants(ctx)]);
  const claimed: Claimed[] = [];
  for (const [tenantId, endpoints] of Map.groupBy(found, ({ tenant_id }) => tenant_id)) {
    const values = [tenantId, endpoints.map(({ webhook_id }) => webhook_id), owner];
    // If this threw, nobody would serve the endpoints that have already been claimed until their leases end.
    const rows = await run<ClaimedRow>(ctx, claim, values).catch((error: unknown) => {
      ctx.log.warn({ err: error, tenant: tenantId }, 'could not claim the webhook endpoints of a tenant');
      return [];
    });
    claimed.push(...rows.map(toClaimed));
  }
  return claimed;
}

/**
 * Renews the claim and returns the current endpoint, or null if it was deleted, disabled or claimed by
 * another node, or if its tenant is suspended.
 */
export async function keepClaim(
  ctx: TenantContext,
  owner: string,
  webhookId: string,
): Promise<Claimed | null> {
  const [row] = await run<ClaimedRow>(
    ctx,
    `update webhook hook set owned_until = ${lease} from tenant client
      where hook.tenant_id = $1 and hook.webhook_id = $2 and hook.owner = $3 and hook.status = 'enabled'
        and client.tenant_id = $1 and client.status = 'active'
      returning hook.*, ${resumed}`,
    [ctx.tenantId, webhookId, owner],
  );
  return row ? toClaimed(row) : null;
}

/** If a concurrent replay has set `wake_at`, the earlier time is kept. The position never moves back. */
export async function releaseClaim(
  ctx: TenantContext,
  input: { owner: string; webhookId: string; position: number; wakeAt: Date | null },
): Promise<void> {
  await run(
    ctx,
    `update webhook set owner = null, owned_until = null, wake_at = least(wake_at, $4::timestamptz),
        position = greatest(position, $5)
      where tenant_id = $1 and webhook_id = $2 and owner = $3`,
    [ctx.tenantId, input.webhookId, input.owner, input.wakeAt, input.position],
  );
}

function toClaimed(row: ClaimedRow): Claimed {
  return {
    ...row,
    tenantId: row.tenant_id,
    position: row.position,
    failingSince: row.failing_since,
    resumedAt: row.resumed_at,
    enabledAt: row.enabled_at,
  };
}
