import type { FastifyRequest } from 'fastify';
import type { Context } from '../../platform/context.ts';
import { Problem } from '../../platform/errors.ts';

/** Login CSRF: only our own page may sign a browser in. Browsers tell; other clients hold nothing to protect. */
export function isForeign(request: FastifyRequest): boolean {
  const site = request.headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

export function crossSite(): Problem {
  return new Problem(
    'cross_site',
    'The browser sent this from a page of another origin. Send it from a page of this service, or use a key.',
  );
}

/**
 * `SameSite` does not tell ports apart, and courses run on another port of this host by default. So a write with the
 * cookie must be known to come from our own origin; a read must not be known to come from elsewhere.
 */
export function refuseForeign(ctx: Context, request: FastifyRequest): void {
  const { 'sec-fetch-site': site, origin } = request.headers;
  const reads = request.method === 'GET' || request.method === 'HEAD';
  const own = site === undefined ? origin === ctx.config.baseUrl : site === 'same-origin';
  if (reads ? isForeign(request) : !own) throw crossSite();
}
