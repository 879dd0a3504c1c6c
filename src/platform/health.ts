import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { exhaustedPool, isDraining } from './admission.ts';
import type { Context } from './context.ts';
import { Problem } from './errors.ts';
import type { Metrics } from './metrics.ts';

/** Liveness, readiness and metrics: on the operations port when there is one, else beside the interface. */
export function healthRoutes(app: FastifyInstance, ctx: Context, metrics: Metrics): void {
  app.get('/health/live', { schema: { hide: true } }, async () => ({ Status: 'live' }));
  app.get('/health/ready', { schema: { hide: true } }, async () => {
    if (isDraining(ctx)) throw new Problem('unavailable', 'This node stops. Ask another.', { retryAfter: 2 });
    const pool = exhaustedPool(ctx);
    if (pool)
      throw new Problem('unavailable', `This node is overloaded: its ${pool} pool is full. Ask another.`, {
        retryAfter: 2,
      });
    await sql`select 1`.execute(ctx.db).catch(() => {
      throw new Problem('unavailable', 'The database does not answer. Try again.', { retryAfter: 2 });
    });
    return { Status: 'ready' };
  });
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.read()),
  );
}
