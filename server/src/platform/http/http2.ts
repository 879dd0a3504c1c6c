import type { IncomingMessage } from 'node:http';
import { constants, type Http2ServerRequest, type ServerHttp2Stream } from 'node:http2';

/** Called only for HTTP/2 requests. */
export function streamOf(request: IncomingMessage): ServerHttp2Stream {
  return (request as unknown as Http2ServerRequest).stream;
}

/** Closes an HTTP/1.1 connection, or an HTTP/2 session with all of its streams. */
export function closeConnection(request: IncomingMessage): void {
  if (request.httpVersionMajor < 2) request.socket.destroy();
  else streamOf(request).session?.destroy(undefined, constants.NGHTTP2_INTERNAL_ERROR);
}
