import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import mime from 'mime-types';
import { type ConstantFile, constantFile, sendConstant } from './platform/constant-files.ts';
import { Problem } from './platform/errors.ts';
import { notFound } from './platform/problems.ts';

const folder = join(import.meta.dirname, '../web/console/dist');
const endings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

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

const fromMemory = { schema: { hide: true }, config: { admits: 'file' } } as const;

/** Scripts and styles, whose names change with their content. Each is read when it is first asked for. */
function assetRoute(app: FastifyInstance): void {
  const assets = join(folder, 'assets');
  const names = new Set(readdirSync(assets));
  const files = new Map<string, ConstantFile>();
  const load = (name: string) => {
    const file = constantFile(
      mime.contentType(name) || 'application/octet-stream',
      readFileSync(join(assets, name)),
    );
    for (const [encoding, ending] of endings)
      if (names.has(name + ending))
        file.compressed.set(encoding, Promise.resolve(readFileSync(join(assets, name + ending))));
    files.set(name, file);
    return file;
  };
  app.get<{ Params: { name: string } }>('/console/assets/:name', fromMemory, (request, reply) => {
    const { name } = request.params;
    if (!names.has(name)) throw notFound(request);
    void reply.header('Cache-Control', 'public, max-age=31536000, immutable');
    return sendConstant(request, reply, files.get(name) ?? load(name));
  });
}

/** The console at /console/, and the reference at /docs, which is a page of it. Its data come through the interface only. */
export function consoleRoutes(app: FastifyInstance): void {
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
    const iconFile = constantFile('image/svg+xml', icon);
    app.get('/console/icon.svg', fromMemory, (request, reply) => sendConstant(request, reply, iconFile));
    assetRoute(app);
  }
  for (const path of ['/console', '/console/*', '/docs'])
    app.get(path, hidden, async (_request, reply) => send(reply));
  app.get('/', hidden, (_request, reply) => reply.redirect('/console', 302));
}
