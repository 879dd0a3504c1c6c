import { ReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptedEncoding, compressUntrusted, type Encoding } from '../../../http/built-files.ts';
import { createCache } from '../../../infra/context/cache.ts';
import type { Context } from '../../../infra/context/context.ts';
import { partOfState } from '../../../infra/context/node-state.ts';

/** Larger files are mostly media, so they are sent uncompressed. */
const maxBytes = 1024 * 1024;
const minBytes = 1024;
/**
 * Maximum number of concurrent compressions on this node. One core remains free for other work. Beyond this
 * maximum, files are sent uncompressed.
 */
const maxConcurrent = Math.max(1, Math.min(3, availableParallelism() - 1));
const keptBytes = 16 * 1024 * 1024;

const compressible = /^text\/|^image\/(svg|bmp)|javascript|json|xml|wasm|^font\/(ttf|otf)/;

const running = partOfState('compressions', () => ({ compressions: 0 }));

/**
 * Compressed files by encoding and path. Entries stay valid, because the files of a release never
 * change. An entry is null if too many compressions were running.
 */
const compressedFiles = createCache<Buffer | null>({
  name: 'compressed files',
  milliseconds: 600_000,
  max: 4_000,
  bytes: { of: (body) => body?.length ?? 0, max: keptBytes },
  load: async (ctx, key) => {
    const count = running(ctx);
    if (count.compressions >= maxConcurrent) return null;
    count.compressions++;
    try {
      const [encoding, path] = JSON.parse(key) as [Encoding, string];
      return await compressUntrusted(await readFile(path), encoding);
    } finally {
      count.compressions--;
    }
  },
});

/** Compresses course files in memory, so that a slow client does not occupy the compressor. */
export function compressCourseFile(app: FastifyInstance, ctx: Context): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!request.routeOptions.config.sendsFile) return done(null, payload);
    compressed(ctx, request, reply, payload).then((result) => done(null, result), done);
  });
}

async function compressed(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const size = Number(reply.getHeader('content-length'));
  const isText = reply.statusCode === 200 && compressible.test(String(reply.getHeader('content-type')));
  if (!isText || !(payload instanceof ReadStream) || request.headers.range) return payload;
  if (size > maxBytes || !(size >= minBytes)) return payload;
  void reply.header('Vary', 'Accept-Encoding');
  const encoding = acceptedEncoding(request);
  if (!encoding || request.method === 'HEAD') return payload;
  const body = await compressedFiles.get(ctx, JSON.stringify([encoding, String(payload.path)]));
  if (!body) return payload;
  payload.destroy();
  void reply.headers({ 'Content-Encoding': encoding, 'Content-Length': body.length });
  return body;
}
