import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../../platform/context.ts';
import { claimEndpoints } from './claim.ts';
import { deliverTo, type Node } from './endpoint.ts';
import { openSlots } from './slots.ts';

const pause = 500;
const mostEndpoints = 2_000;

export type Dispatcher = { stop: (milliseconds: number) => Promise<void> };

/**
 * Delivers webhooks until stopped; several nodes share the endpoints among them. Stopping lets what is on its way
 * finish, for so long, and gives back the rest.
 */
export function startDispatcher(ctx: Context): Dispatcher {
  const draining = new AbortController();
  const ending = new AbortController();
  const node: Node = {
    ctx,
    id: randomUUID(),
    rooms: { healthy: openSlots(128), failing: openSlots(64) },
    concurrency: 16,
    draining: draining.signal,
    ending: ending.signal,
  };
  const running = new Map<string, Promise<void>>();

  const look = async () => {
    const claimed = await claimEndpoints(ctx, node.id, mostEndpoints - running.size);
    for (const endpoint of claimed) {
      // After a long standstill this node may find an endpoint free that it still delivers to.
      if (running.has(endpoint.webhook_id)) continue;
      const { webhook_id: webhook, tenantId: tenant } = endpoint;
      const delivering = deliverTo(node, endpoint)
        .catch((error: unknown) => {
          ctx.log.warn({ err: error, tenant, webhook }, 'deliveries stopped; they are taken up again');
        })
        .finally(() => running.delete(webhook));
      running.set(webhook, delivering);
    }
  };

  const watch = async () => {
    while (!draining.signal.aborted) {
      await look().catch((error: unknown) => {
        if (!draining.signal.aborted) ctx.log.warn({ err: error }, 'webhooks could not be looked for');
      });
      await delay(pause, undefined, { signal: draining.signal }).catch(() => {});
    }
  };
  const watching = watch();

  return {
    stop: async (milliseconds) => {
      draining.abort();
      await watching;
      const late = setTimeout(() => ending.abort(), milliseconds);
      await Promise.all(running.values());
      clearTimeout(late);
    },
  };
}
