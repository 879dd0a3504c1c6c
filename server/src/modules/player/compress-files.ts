import type { ReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../platform/context.ts';
import { acceptedEncoding, compress } from '../../platform/http/constant-files.ts';
import { partOfState } from '../../platform/node-state.ts';

/** Larger files are mostly media and are sent uncompressed. */
const maxBytes = 1024 * 1024;
const minBytes = 1024;
/** Concurrent compressions on this node; further files are sent uncompressed. */
const maxConcurrent = 4;

const compressible = /^text\/|^image\/(svg|bmp)|javascript|json|xml|wasm|^font\/(ttf|otf)/;

const running = partOfState('compressions', () => ({ compressions: 0 }));

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
  const count = running(ctx);
  const size = Number(reply.getHeader('content-length'));
  const isText = reply.statusCode === 200 && compressible.test(String(reply.getHeader('content-type')));
  if (!isText || !isStream(payload) || request.headers.range || size > maxBytes || !(size >= minBytes))
    return payload;
  void reply.header('Vary', 'Accept-Encoding');
  const encoding = acceptedEncoding(request);
  if (!encoding || count.compressions >= maxConcurrent || request.method === 'HEAD') return payload;
  count.compressions++;
  try {
    const body = await compress(await buffer(payload), encoding);
    void reply.headers({ 'Content-Encoding': encoding, 'Content-Length': body.length });
    return body;
  } finally {
    count.compressions--;
  }
}

function isStream(payload: unknown): payload is ReadStream {
  return typeof payload === 'object' && payload !== null && 'pipe' in payload;
}
