import type { FastifyInstance, FastifyRequest } from 'fastify';
import { admitAnonymous } from './admission.ts';
import { networkOf, spend } from './budgets.ts';
import type { Context } from './context.ts';
import { holdAll, reject } from './holds.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Who admits requests of the route: by default `admitStrangers`, as those of strangers. `itself`: the route, when it has
     * read who calls. `file`: a file from memory. `health`: answers that all probes share, with no limit.
     */
    admits?: 'itself' | 'file' | 'health';
  }
}

/** Takes on a request for a file that is the same for everybody, and costs little. */
function admitFile(ctx: Context, request: FastifyRequest): void {
  const { constantFiles } = ctx.admission;
  const network = networkOf(request.ip);
  const seconds = spend(constantFiles, network, ctx.now());
  if (seconds > 0)
    throw reject(ctx, 'anonymous', 'address_rate', {
      detail: 'Too many requests for files from your address.',
      retryAfter: seconds,
    });
  const giveBack = holdAll(ctx, 'anonymous', [
    { of: constantFiles, by: network, whose: 'from your address', reason: 'address_concurrency' },
  ]);
  if (request.place.over) giveBack();
  else Object.assign(request.place, { leave: giveBack, ofStranger: true });
}

/** Takes every request on as that of a stranger, unless its route says otherwise. */
export function admitStrangers(app: FastifyInstance, ctx: Context): void {
  app.addHook('onRequest', async (request) => {
    const { admits } = request.routeOptions.config;
    if (admits === undefined) admitAnonymous(ctx, request);
    else if (admits === 'file') admitFile(ctx, request);
  });
}
