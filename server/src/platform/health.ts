import type { FastifyInstance } from 'fastify';
import { exhaustedPool, isDraining } from './admission.ts';
import { remember } from './cache.ts';
import type { Context } from './context.ts';
import { run } from './db/transaction.ts';
import { Problem } from './errors.ts';
import type { Metrics } from './metrics.ts';

/** Probes come every few seconds, and get the same answer for so long; anybody may ask. */
const sharedMilliseconds = 1_000;
const forProbes = { config: { admits: 'health' } } as const;

/** A database that fails is asked again by the next probe. */
const databaseAnswers = remember<true | null>({
  milliseconds: sharedMilliseconds,
  most: 1,
  load: (ctx) =>
    run(ctx, { text: 'select 1', values: [] }).then(
      () => true,
      () => null,
    ),
});

/** Liveness, readiness and metrics: on the operations port when there is one, else beside the interface. */
export function healthRoutes(app: FastifyInstance, ctx: Context, metrics: Metrics): void {
  const texts = remember<string>({
    milliseconds: sharedMilliseconds,
    most: 1,
    load: () => metrics.read(),
  });
  app.get('/health/live', forProbes, async () => ({ Status: 'live' }));
  app.get('/health/ready', forProbes, async () => {
    if (isDraining(ctx)) throw new Problem('unavailable', 'This node stops. Ask another.', { retryAfter: 2 });
    const pool = exhaustedPool(ctx);
    if (pool)
      throw new Problem('unavailable', `This node is overloaded: its ${pool} pool is full. Ask another.`, {
        retryAfter: 2,
      });
    if (!(await databaseAnswers.get(ctx, '')))
      throw new Problem('unavailable', 'The database does not answer. Try again.', { retryAfter: 2 });
    return { Status: 'ready' };
  });
  app.get('/metrics', forProbes, async (_request, reply) =>
    reply.type(metrics.contentType).send(await texts.get(ctx, '')),
  );
}
