import type { FastifyInstance } from 'fastify';
import { run } from '../../db/transaction.ts';
import { Problem } from '../../lib/errors.ts';
import { createCache } from '../context/cache.ts';
import type { Context } from '../context/context.ts';
import type { Metrics } from './metrics.ts';

/** Responses to probes are cached for this long. Probes come every few seconds, and anyone may send them. */
const sharedMilliseconds = 1_000;
const probeOptions = { config: { isProbe: true, logs: 'failures' } } as const;

/** Failures are not cached, so the next probe checks again. */
const databaseAnswers = createCache<true | null>({
  name: 'database_answers',
  milliseconds: sharedMilliseconds,
  max: 1,
  load: (ctx) =>
    run(ctx, 'select 1').then(
      () => true,
      () => null,
    ),
});

/** Why the files are not those of the database. The name of the setting in it is for the operator. */
const storageProblems = createCache<string | null>({
  name: 'storage_problem',
  milliseconds: 5_000,
  max: 1,
  load: (ctx) => ctx.files.problem(),
});

/** Serves liveness, readiness and metrics on the operations port if there is one, otherwise on the API's port. */
export function healthRoutes(app: FastifyInstance, ctx: Context, metrics: Metrics): void {
  const texts = createCache<string>({
    name: 'metrics_text',
    milliseconds: sharedMilliseconds,
    max: 1,
    load: () => metrics.read(),
  });
  app.get('/health/live', probeOptions, async () => ({ Status: 'live' }));
  app.get('/health/ready', probeOptions, async () => {
    if (ctx.load.draining)
      throw new Problem('unavailable', 'This node is shutting down. Retry the request.', { retryAfter: 2 });
    if (!(await databaseAnswers.get(ctx, '')))
      throw new Problem('unavailable', 'The database does not respond. Try again.', { retryAfter: 2 });
    const problem = await storageProblems.get(ctx, '');
    if (problem !== null) throw new Problem('unavailable', problem, { retryAfter: 10 });
    return { Status: 'ready' };
  });
  app.get('/metrics', probeOptions, async (_request, reply) =>
    reply.type(metrics.contentType).send(await texts.get(ctx, '')),
  );
}
