import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { assetRoute, constantFile, readBuilt, sendConstant } from '../http/built-files.ts';
import { locations } from '../lib/locations.ts';

/**
 * Scripts and styles come from this origin or have the response's nonce. Course images may come
 * from any host, but only over HTTPS.
 */
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: https:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * Serves the console at /console/ and the API reference at /docs, which is a page of the console.
 * Both get all data from the API.
 */
export function consoleRoutes(app: FastifyInstance): void {
  const page = readBuilt(locations.console, 'index.html');
  const icon = constantFile('image/svg+xml', readBuilt(locations.console, 'icon.svg'));
  const send = (reply: FastifyReply) => {
    const nonce = randomBytes(16).toString('base64');
    // Hosts of course images get no cookies with `credentialless`, and no address with `no-referrer` on the image.
    return reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', policyOf(nonce))
      .header('Cross-Origin-Embedder-Policy', 'credentialless')
      .send(page.replaceAll('%NONCE%', nonce));
  };
  app.get('/console/icon.svg', { config: { logs: 'failures' } }, (request, reply) =>
    sendConstant(request, reply, icon),
  );
  assetRoute(app, '/console', locations.console);
  for (const path of ['/console', '/console/*', '/docs'])
    app.get(path, { config: { logs: 'failures' } }, async (_request, reply) => send(reply));
  app.get('/', (_request, reply) => reply.redirect('/console', 302));
}
