import { setTimeout as delay } from 'node:timers/promises';
import { forNode } from '../../db/owners.ts';
import { run } from '../../db/transaction.ts';
import { nodeOf } from '../../db/worker-nodes.ts';
import { Problem } from '../../lib/errors.ts';
import { createCache } from '../context/cache.ts';
import type { Context } from '../context/context.ts';

const nodes = createCache<string[]>({
  name: 'worker_nodes',
  milliseconds: 10_000,
  max: 1,
  load: async (ctx) => {
    const [found] = await run<{ exists: boolean }>(ctx, {
      name: 'worker_nodes_exist',
      text: `select to_regclass('pg_dist_node') is not null as exists`,
      values: [],
    });
    if (!found?.exists) return [];
    const rows = await run<{ node: string }>(ctx, {
      name: 'worker_nodes',
      text: `select nodename || ':' || nodeport as node from pg_dist_node
        where shouldhaveshards and isactive and noderole = 'primary' order by node`,
      values: [],
    });
    return rows.map(({ node }) => node);
  },
});

/**
 * Contexts for work that serves all tenants: on Citus one for each worker node, so that a node that is down or hangs
 * holds up its own tenants only.
 */
export async function perWorkerNode(ctx: Context): Promise<Context[]> {
  const found = ctx.engine.kind === 'pglite' ? [] : await nodes.get(ctx, '');
  if (found.length === 0) return [ctx];
  return found.map((node) => forNode(ctx, node));
}

/** How long a start waits for a worker node. */
const patienceMilliseconds = 5_000;

/**
 * Does the work for the tenants of each worker node. A node that is down or hangs is left for the next start, so that
 * the tenants of the others can be served.
 */
export async function onReachableNodes(
  ctx: Context,
  work: (ctx: Context) => Promise<unknown>,
): Promise<void> {
  for (const own of await perWorkerNode(ctx)) {
    if (own.workerNode === undefined) return void (await work(own));
    const late = delay(patienceMilliseconds, undefined, { ref: false }).then(() => {
      throw new Problem('unavailable', 'The worker node does not answer.');
    });
    await Promise.race([work(own), late]).catch((error: unknown) => {
      if (!(error instanceof Problem) || error.code !== 'unavailable') throw error;
      ctx.log.error({ err: error, node: own.workerNode }, 'a worker node of the database cannot be reached');
    });
  }
}

const tenants = createCache<Map<string, string[]>>({
  name: 'tenants_of_worker_nodes',
  milliseconds: 2_000,
  max: 1,
  load: async (ctx) => {
    const rows = await run<{ tenant_id: string; node: string }>(ctx, {
      name: 'worker_nodes_of_tenants',
      text: `select client.tenant_id, ${nodeOf('client.tenant_id')} as node
        from (select tenant_id from tenant union all select '') client`,
      values: [],
    });
    const byNode = Map.groupBy(rows, ({ node }) => node);
    return new Map([...byNode].map(([node, own]) => [node, own.map(({ tenant_id }) => tenant_id)]));
  },
});

/**
 * The parameter of `isServed`: the tenants of the context's worker node, and the deployment itself, whose TenantID is
 * empty; null for all tenants.
 */
export async function servedTenants(ctx: Context): Promise<string[] | null> {
  return ctx.workerNode === undefined ? null : ((await tenants.get(ctx, '')).get(ctx.workerNode) ?? []);
}

/** SQL: whether a statement that serves all tenants serves this one. Citus then uses only the shards of these tenants. */
export const isServed = (tenant: string, parameter: string) =>
  `(${parameter}::text[] is null or ${tenant} = any (${parameter}::text[]))`;
