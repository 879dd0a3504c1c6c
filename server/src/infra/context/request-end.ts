import type { IncomingMessage } from 'node:http';
import { constants, type Http2ServerRequest, type ServerHttp2Stream } from 'node:http2';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Called only for HTTP/2 requests. */
export function streamOf(request: IncomingMessage): ServerHttp2Stream {
  return (request as unknown as Http2ServerRequest).stream;
}

/** Closes an HTTP/1.1 connection, or an HTTP/2 session with all of its streams. */
export function closeConnection(request: IncomingMessage): void {
  if (request.httpVersionMajor < 2) request.socket.destroy();
  else streamOf(request).session?.destroy(undefined, constants.NGHTTP2_INTERNAL_ERROR);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the response was sent or the client has disconnected. */
    hasEnded: boolean;
    atEnd: (() => void)[];
  }
}

/** Must be called before anything is awaited, because the client may disconnect in the meantime. */
export function watchRequestEnd(request: FastifyRequest, reply: FastifyReply): void {
  request.atEnd = [];
  // Node does not report the end of the response to a HEAD request over HTTP/2 that was cancelled early.
  const ending = request.raw.httpVersionMajor >= 2 ? streamOf(request.raw) : reply.raw;
  ending.once('close', () => {
    request.hasEnded = true;
    for (const work of request.atEnd) work();
  });
}

/**
 * Calls `work` when the request has ended. All callbacks share one listener, because each listener costs a microsecond.
 */
export function onRequestEnd(request: FastifyRequest, work: () => void): void {
  if (request.hasEnded) work();
  else request.atEnd.push(work);
}
