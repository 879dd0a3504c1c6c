import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from './context.ts';
import { Problem } from './errors.ts';
import { perEngine } from './per-engine.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Shed last: a learner's work is in it. */
    runTime?: boolean;
  }
}

const tick = 100;
/** Clients of requests that waited for so long have often given up. */
const stalledAfter = 2_000;
const alwaysTaken = /^\/(health\/|metrics$)/;

/** What this node has taken on, over all its ports. */
const standing = perEngine(() => ({ inFlight: 0, stalled: false, draining: false }));

export function isDraining(ctx: Context): boolean {
  return standing(ctx).draining;
}

/** From now on the node says that it is not ready, and asks its clients to connect elsewhere. */
export function drain(ctx: Context): void {
  standing(ctx).draining = true;
}

/** Refuses what is beyond the node's bound before its body is read, so that a flood costs no memory. */
export function limitLoad(app: FastifyInstance, ctx: Context): void {
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const node = standing(ctx);
    if (node.draining && request.raw.httpVersionMajor < 2) void reply.header('Connection', 'close');
    const { url = '', config } = request.routeOptions;
    if (alwaysTaken.test(url)) return;
    const most = ctx.config.mostInFlight * (config.runTime ? 2 : 1);
    if (node.inFlight >= most || (node.stalled && !config.runTime))
      throw new Problem('unavailable', 'The service has more to do than it can. Send the request again.', {
        retryAfter: 1 + Math.floor(Math.random() * 3),
      });
    node.inFlight++;
    reply.raw.once('close', () => node.inFlight--);
  });
}

/** Notices when the event loop stood still. */
export function watchEventLoop(ctx: Context): { stop: () => void } {
  const node = standing(ctx);
  let last = performance.now();
  const timer = setInterval(() => {
    const late = performance.now() - last - tick;
    last += tick + late;
    if (late > stalledAfter)
      ctx.log.warn({ ms: Math.round(late) }, 'the event loop stood still; what waited is refused');
    node.stalled = late > stalledAfter;
  }, tick);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
