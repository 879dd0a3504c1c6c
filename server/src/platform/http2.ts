import type { IncomingMessage } from 'node:http';
import { constants, type Http2ServerRequest, type ServerHttp2Stream } from 'node:http2';

/** Only requests of HTTP/2 are passed. */
export function streamOf(request: IncomingMessage): ServerHttp2Stream {
  return (request as unknown as Http2ServerRequest).stream;
}

/** What the streams of an HTTP/2 client have in common, and the requests of an HTTP/1.1 connection. */
export function connectionOf(request: IncomingMessage): object {
  return request.httpVersionMajor >= 2 ? (streamOf(request).session ?? request) : request.socket;
}

/** Drops the answer on the way. */
export function cancel(stream: ServerHttp2Stream): void {
  stream.close(constants.NGHTTP2_CANCEL);
}

/** Closes the connection of an HTTP/1.1 client, or the session of an HTTP/2 client with all of its streams. */
export function closeConnection(request: IncomingMessage): void {
  if (request.httpVersionMajor < 2) request.socket.destroy();
  else streamOf(request).session?.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
}
