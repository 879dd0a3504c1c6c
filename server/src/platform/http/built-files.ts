import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import mime from 'mime-types';
import { codeOf } from '../error-code.ts';
import { type ConstantFile, constantFile, sendConstant } from './constant-files.ts';
import { notFound } from './problems.ts';

const endings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** A file built by `npm run build`, such as the console's or player's page. */
export function readBuilt(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    throw new Error(`${join(folder, name)} is missing. Run npm run build, then start again.`);
  }
}

/**
 * Serves scripts and styles at `${prefix}/assets/…`. Their names contain a hash of their content, so browsers
 * may cache them forever. Each file is read when it is first requested.
 */
export function assetRoute(app: FastifyInstance, prefix: string, folder: string): void {
  const assets = join(folder, 'assets');
  const names = new Set(readdirSync(assets));
  const files = new Map<string, ConstantFile>();
  const load = (name: string) => {
    const type = mime.contentType(name) || 'application/octet-stream';
    const file = constantFile(type, readFileSync(join(assets, name)));
    for (const [encoding, ending] of endings)
      if (names.has(name + ending))
        file.compressed.set(encoding, Promise.resolve(readFileSync(join(assets, name + ending))));
    files.set(name, file);
    return file;
  };
  const options = { config: { logs: 'failures' }, compress: false } as const;
  app.get<{ Params: { name: string } }>(`${prefix}/assets/:name`, options, (request, reply) => {
    const { name } = request.params;
    if (!names.has(name)) throw notFound(request);
    void reply.header('Cache-Control', 'public, max-age=31536000, immutable');
    return sendConstant(request, reply, files.get(name) ?? load(name));
  });
}
