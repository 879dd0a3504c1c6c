import type { FastifyInstance } from 'fastify';
import { createCache } from '../cache.ts';
import type { Context } from '../context.ts';
import { run } from '../db/transaction.ts';
import { Problem } from '../errors.ts';
import { exhaustedPool, isDraining } from '../load/admission.ts';
import type { Metrics } from './metrics.ts';

/**
 * Responses to probes are cached for this long. Probes come every few seconds, and anyone may send
 * them.
 */
const sharedMilliseconds = 1_000;
const probeOptions = { config: { admits: 'health', logs: 'failures' } } as const;

/** Failures are not cached, so the next probe checks again. */
const databaseAnswers = createCache<true | null>({
  name: 'database_answers',
  milliseconds: sharedMilliseconds,
  max: 1,
  load: (ctx) =>
    run(ctx, { text: 'select 1', values: [] }).then(
      () => true,
      () => null,
    ),
});

/**
 * A pool that is full in every worker of this node. If a worker does not answer, it is blocked, so
 * all its pools are regarded as full.
 */
const fullPools = createCache<string | null>({
  name: 'full_pools',
  milliseconds: sharedMilliseconds,
  max: 1,
  load: async ({ workers }) => {
    const answered = (await workers.ask('load')).filter((answer) => answer !== null);
    if (answered.some(({ fullPool }) => fullPool === null)) return null;
    return answered[0]?.fullPool ?? null;
  },
});

/** Serves liveness, readiness and metrics on the operations port if there is one, otherwise on the API's port. */
export function healthRoutes(app: FastifyInstance, ctx: Context, metrics: Metrics): void {
  const texts = createCache<string>({
    name: 'metrics_text',
    milliseconds: sharedMilliseconds,
    max: 1,
    load: () => metrics.read(),
  });
  ctx.workers.answer('load', async () => ({ fullPool: exhaustedPool(ctx) }));
  app.get('/health/live', probeOptions, async () => ({ Status: 'live' }));
  app.get('/health/ready', probeOptions, async () => {
    if (isDraining(ctx))
      throw new Problem('unavailable', 'This node is shutting down. Retry the request.', { retryAfter: 2 });
    const pool = ctx.workers.count === 1 ? exhaustedPool(ctx) : await fullPools.get(ctx, '');
    if (pool)
      throw new Problem(
        'unavailable',
        `This node is overloaded: its ${pool} pool is full. Retry the request.`,
        {
          retryAfter: 2,
        },
      );
    if (!(await databaseAnswers.get(ctx, '')))
      throw new Problem('unavailable', 'The database does not respond. Try again.', { retryAfter: 2 });
    return { Status: 'ready' };
  });
  app.get('/metrics', probeOptions, async (_request, reply) =>
    reply.type(metrics.contentType).send(await texts.get(ctx, '')),
  );
}
