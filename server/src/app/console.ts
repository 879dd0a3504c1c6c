import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sessionOf } from '../domain/sign-in/sessions.ts';
import { assetRoute, constantFile, readBuilt, sendConstant } from '../http/built-files.ts';
import type { Context } from '../infra/context/context.ts';
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

/** Browsers send the session's cookie only if the visit starts on our own pages, so a link from elsewhere visits twice. */
const visitAgain = '<!doctype html><meta http-equiv="refresh" content="0"><title>Lectern</title>';

/** Learners get a page with fewer scripts. A failure is left to the console, which reads the session itself. */
async function isLearner(ctx: Context, request: FastifyRequest): Promise<boolean> {
  try {
    const found = await sessionOf(ctx, request);
    return found?.session.Role === 'learner' && found.session.NextStep === null;
  } catch {
    return false;
  }
}

/**
 * Serves the console at /console/ and the API reference at /docs, which is a page of the console.
 * Both get all data from the API.
 */
export function consoleRoutes(app: FastifyInstance, ctx: Context): void {
  const page = readBuilt(locations.console, 'index.html');
  const learnersPage = readBuilt(locations.console, 'learner.html');
  const files = { 'icon.svg': 'image/svg+xml', 'check-evidence.mjs': 'text/javascript' };
  const send = (reply: FastifyReply, page: string) => {
    const nonce = randomBytes(16).toString('base64');
    // Hosts of course images get no cookies with `credentialless`, and no address with `no-referrer` on the image.
    return reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', policyOf(nonce))
      .header('Cross-Origin-Embedder-Policy', 'credentialless')
      .send(page.replaceAll('%NONCE%', nonce));
  };
  for (const [name, type] of Object.entries(files)) {
    const file = constantFile(type, readBuilt(locations.console, name));
    app.get(`/console/${name}`, { config: { logs: 'failures' } }, (request, reply) =>
      sendConstant(request, reply, file),
    );
  }
  assetRoute(app, '/console', locations.console);
  for (const path of ['/console/*', '/docs'])
    app.get(path, { config: { logs: 'failures' } }, async (_request, reply) => send(reply, page));
  app.get('/console', { config: { logs: 'failures' } }, async (request, reply) => {
    if (request.headers['sec-fetch-site'] === 'cross-site') return send(reply, visitAgain);
    return send(reply, (await isLearner(ctx, request)) ? learnersPage : page);
  });
  app.get('/', (_request, reply) => reply.redirect('/console', 302));
}
