import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import mime from 'mime-types';
import { type ConstantFile, constantFile, readBuilt, sendConstant } from '../http/built-files.ts';
import { notFound } from '../http/problems.ts';
import { locations } from '../lib/locations.ts';

/** The pages load files only from this origin. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Pages use the limits for anonymous requests. The files that pages load use the limits for files. */
const addresses = {
  '/docs/guide': { config: { logs: 'failures' } },
  '/docs/guide/*': { config: { logs: 'failures' } },
  '/docs/guide/assets/*': { config: { logs: 'failures' } },
  '/docs/guide/images/*': { config: { logs: 'failures' } },
} as const;

/** All files below the folder, except those whose names begin with a dot. */
function namesIn(folder: string): Set<string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'));
  return new Set(files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))));
}

/** The guide at /docs/guide, as built by `npm run build -- guide`. Each file is read when it is first requested. */
export function guideRoutes(app: FastifyInstance): void {
  const files = new Map<string, ConstantFile>([
    ['', constantFile('text/html; charset=utf-8', readBuilt(locations.guide, 'index.html'))],
  ]);
  const names = namesIn(locations.guide);
  const load = (request: FastifyRequest, path: string) => {
    const name = [path, `${path}.html`].find((name) => names.has(name));
    if (!name) throw notFound(request);
    const type = mime.contentType(name.slice(name.lastIndexOf('.'))) || 'application/octet-stream';
    const file = constantFile(type, readFileSync(join(locations.guide, name)));
    files.set(path, file);
    return file;
  };
  // The `type` of a problem document links here. Browsers keep the fragment when they follow the
  // redirect.
  app.get('/docs/errors', (_request, reply) => reply.redirect('/docs/guide/reference/errors', 302));
  for (const [address, config] of Object.entries(addresses))
    app.get(address, config, (request, reply) => {
      const [path = ''] = request.url.split('?');
      const name = path.replace(/^\/docs\/guide\/?|\/$/g, '');
      void reply.headers({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' });
      return sendConstant(request, reply, files.get(name) ?? load(request, name));
    });
}
