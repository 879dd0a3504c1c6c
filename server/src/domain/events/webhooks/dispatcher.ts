import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../../../infra/context/context.ts';
import { perWorkerNode } from '../../../infra/operations/jobs.ts';
import { claimEndpoints, openSlots } from './claim.ts';
import { deliverTo, type Node } from './endpoint.ts';
import { eventSource } from './event-source.ts';
import type { Sources } from './source.ts';

const pause = 500;
const maxEndpoints = 2_000;

export type Dispatcher = { stop: (milliseconds: number) => Promise<void> };

/**
 * Delivers webhooks until stopped. Several nodes share the endpoints. `stop` gives deliveries in progress this many
 * milliseconds to finish, and releases the others.
 */
export function startDispatcher(ctx: Context, sources: Sources = { events: eventSource }): Dispatcher {
  const draining = new AbortController();
  const ending = new AbortController();
  const node: Node = {
    ctx,
    sources,
    id: randomUUID(),
    pools: { healthy: openSlots(128), failing: openSlots(64) },
    concurrency: 16,
    draining: draining.signal,
    ending: ending.signal,
  };
  const running = new Map<string, Promise<void>>();

  const claimMore = async (ctx: Context) => {
    const claimed = await claimEndpoints(ctx, {
      owner: node.id,
      max: maxEndpoints - running.size,
      sources,
    });
    for (const endpoint of claimed) {
      // After a long pause, an endpoint may look unclaimed although this node is still delivering to it.
      if (running.has(endpoint.webhook_id)) continue;
      const { webhook_id: webhook, tenantId: tenant } = endpoint;
      const delivering = deliverTo(node, endpoint)
        .catch((error: unknown) => {
          ctx.log.warn(
            { err: error, tenant, webhook },
            'deliveries to an endpoint stopped; they will be resumed',
          );
        })
        .finally(() => running.delete(webhook));
      running.set(webhook, delivering);
    }
  };

  const repeatedly = async (work: () => Promise<void>) => {
    while (!draining.signal.aborted) {
      await work().catch((error: unknown) => {
        if (!draining.signal.aborted) ctx.log.warn({ err: error }, 'could not look for webhook endpoints');
      });
      await delay(pause, undefined, { signal: draining.signal }).catch(() => {});
    }
  };
  /** The searches by worker node, if there are several. Each waits for its own node only. */
  const searches = new Map<string | undefined, Promise<void>>();
  const polling = repeatedly(async () => {
    for (const own of await perWorkerNode(ctx))
      if (!searches.has(own.workerNode))
        searches.set(
          own.workerNode,
          repeatedly(() => claimMore(own)),
        );
  });

  return {
    stop: async (milliseconds) => {
      draining.abort();
      await Promise.all([polling, ...searches.values()]);
      const late = setTimeout(() => ending.abort(), milliseconds);
      await Promise.all(running.values());
      clearTimeout(late);
    },
  };
}
