import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Problem } from './platform/errors.ts';

const folder = join(import.meta.dirname, '../web/console/dist');

/** Scripts and styles are files of this origin or carry the nonce of this one answer; pictures of courses lie elsewhere. */
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: https: http:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The console at /console/, and the reference at /docs, which is a page of it. Its data come through the interface only. */
export async function consoleRoutes(app: FastifyInstance): Promise<void> {
  const page = existsSync(join(folder, 'index.html'))
    ? readFileSync(join(folder, 'index.html'), 'utf8')
    : null;
  const send = (reply: FastifyReply) => {
    if (page === null)
      throw new Problem('unavailable', 'The console was not built. Run `npm run prepare`, and start again.');
    const nonce = randomBytes(16).toString('base64');
    return reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', policyOf(nonce))
      .send(page.replaceAll('%NONCE%', nonce));
  };
  const hidden = { schema: { hide: true } };
  if (page !== null) {
    const icon = readFileSync(join(folder, 'icon.svg'));
    app.get('/console/icon.svg', hidden, (_request, reply) => reply.type('image/svg+xml').send(icon));
    await app.register(fastifyStatic, {
      root: join(folder, 'assets'),
      prefix: '/console/assets/',
      decorateReply: false,
      preCompressed: true,
      immutable: true,
      maxAge: '365d',
      schemaHide: true,
    });
  }
  for (const path of ['/console', '/console/*', '/docs'])
    app.get(path, hidden, async (_request, reply) => send(reply));
  app.get('/', hidden, (_request, reply) => reply.redirect('/console', 302));
}
