import type { FastifyRequest } from 'fastify';
import type { Context } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';

/**
 * Prevents login CSRF: only our own page can sign a browser in. Browsers report their origin; other clients have no
 * session to protect.
 */
export function isCrossSite(request: FastifyRequest): boolean {
  const site = request.headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

export function crossSite(): Problem {
  return new Problem(
    'cross_site',
    'The browser sent this request from a page on another origin. Send it from a page of this service, or use a key.',
  );
}

/**
 * `SameSite` ignores ports, and by default, courses run on another port of this host. Therefore, a
 * write with the cookie must prove that it comes from our own origin. A read is rejected if the
 * browser says that it comes from another origin.
 */
export function rejectCrossSite(ctx: Context, request: FastifyRequest): void {
  const { 'sec-fetch-site': site, origin } = request.headers;
  const reads = request.method === 'GET' || request.method === 'HEAD';
  const own = site === undefined ? origin === ctx.config.baseUrl : site === 'same-origin';
  if (reads ? isCrossSite(request) : !own) throw crossSite();
}
