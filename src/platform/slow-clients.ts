import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { streamOf } from './http2.ts';

/** For Node's server: whoever connects has so long to send a request's headers, and is looked at so often. */
export const headerLimits = { headersTimeout: 15_000, connectionsCheckingInterval: 5_000 };

/** A connection on which nothing moves in either direction is closed after so long, whatever it waits for. */
export const silenceMilliseconds = 600_000;

/** Any mobile line brings 8 kB in a second or two. A body must be complete at the second look; an upload may go on. */
const lookMilliseconds = 15_000;
const leastBytes = 8 * 1024;
const uploadLooks = 2;

/** For so long the rest of a rejected request is read and dropped: a reset would take the answer away from the client. */
const lingerMilliseconds = 1_000;

const uploads = new WeakSet<IncomingMessage>();
/** How to end a request whose body does not come. */
const ends = new WeakMap<IncomingMessage, () => void>();

/** An upload or a stream of rows has no deadline, but must bring 8 kB in 30 s. */
export function allowUpload(request: FastifyRequest): void {
  uploads.add(request.raw);
}

/** The whole body must be there in so many milliseconds. */
export function hurryBody(raw: IncomingMessage, milliseconds: number): void {
  const timer = setTimeout(() => ends.get(raw)?.(), milliseconds);
  timer.unref();
  const over = () => clearTimeout(timer);
  raw.once('end', over).once('close', over);
}

/** Whether a body is to come: over HTTP/2 unless the headers were the end of the request, whatever they declare. */
export function hasBody(raw: IncomingMessage): boolean {
  const { headers } = raw;
  if (raw.httpVersionMajor >= 2) return !streamOf(raw).endAfterHeaders;
  const length = headers['content-length'];
  return length !== undefined ? length !== '0' : headers['transfer-encoding'] !== undefined;
}

/** Node's own limit is for a request as a whole, which an upload of gigabytes would exceed. */
export function limitSlowBodies(app: FastifyInstance, milliseconds = lookMilliseconds): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (hasBody(request.raw)) watchBody(request.raw, reply, milliseconds);
    done();
  });
}

function watchBody(raw: IncomingMessage, reply: FastifyReply, milliseconds: number): void {
  let seen = raw.socket.bytesRead;
  let looks = 0;
  const timer = setInterval(() => {
    looks++;
    const isUpload = uploads.has(raw);
    if (isUpload && looks % uploadLooks !== 0) return;
    const came = raw.socket.bytesRead - seen;
    seen += came;
    // What is not taken yet is our delay, not the client's.
    if (raw.readableLength > 0 || (came >= leastBytes && (isUpload || looks === 1))) return;
    clearInterval(timer);
    endRequest(raw, reply);
  }, milliseconds);
  timer.unref();
  ends.set(raw, () => endRequest(raw, reply));
  const over = () => clearInterval(timer);
  raw.once('end', over).once('close', over);
}

function endRequest(raw: IncomingMessage, reply: FastifyReply): void {
  if (raw.httpVersionMajor >= 2) reply.raw.destroy();
  else if (reply.raw.headersSent) raw.socket.destroy();
  else raw.socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n', () => raw.destroy());
}

/** Ends the connection of a client that goes on sending a body after its request was rejected. */
export function dropUnreadBody({ request, raw: response }: FastifyReply): void {
  const { raw } = request;
  if (!hasBody(raw) || raw.complete) return;
  response.once('finish', () => {
    if (raw.complete) return;
    const timer = setTimeout(() => {
      if (raw.httpVersionMajor >= 2) response.destroy();
      else raw.destroy();
    }, lingerMilliseconds);
    raw.once('end', () => clearTimeout(timer));
  });
}
