import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { admitAnonymous } from '../load/admission.ts';
import { networkOf, spend } from '../load/budgets.ts';
import { reject, reserveAll } from '../load/reservations.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * How the route's requests are admitted. By default, they are admitted as anonymous requests. With
     * `itself`, the route admits them once the caller is known. `file` is for files in memory. `health` is
     * for cached responses to probes, without a limit.
     */
    admits?: 'itself' | 'file' | 'health';
  }
}

/** Admits a request for a file that is the same for everyone and costs little. */
function admitFile(ctx: Context, request: FastifyRequest): void {
  const { constantFiles } = ctx.admission;
  const network = networkOf(request.address);
  const seconds = spend(constantFiles, network, ctx.now());
  if (seconds > 0)
    throw reject(ctx, 'anonymous', 'address_rate', {
      detail: 'Too many requests for files from your address.',
      retryAfter: seconds,
    });
  const release = reserveAll(ctx, 'anonymous', [
    { of: constantFiles, by: network, description: 'from your address', reason: 'address_concurrency' },
  ]);
  if (request.slot.hasEnded) release();
  else Object.assign(request.slot, { leave: release, isAnonymous: true });
}

/** Admits every request as an anonymous request, unless its route says otherwise. */
export function admitRequests(app: FastifyInstance, ctx: Context): void {
  // This hook is asynchronous, so a request is processed only after the rest of its packet has been
  // parsed.
  app.addHook('onRequest', async (request) => {
    const { admits } = request.routeOptions.config;
    if (admits === undefined) admitAnonymous(ctx, request);
    else if (admits === 'file') admitFile(ctx, request);
  });
}
