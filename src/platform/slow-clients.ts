import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** For Node's server: whoever connects has so long to send a request's headers, and is looked at so often. */
export const headerLimits = { headersTimeout: 15_000, connectionsCheckingInterval: 5_000 };

/** A connection on which nothing moves in either direction is closed after so long, whatever it waits for. */
export const silenceMilliseconds = 600_000;

const bodyMilliseconds = 30_000;
/** Half a second on a poor mobile line. */
const leastBytes = 16 * 1024;

const patient = new WeakSet<IncomingMessage>();

/** An upload or a stream of rows may be slow, as long as something comes. */
export function bearSlowBody(request: FastifyRequest): void {
  patient.add(request.raw);
}

/** Node's own limit is for a request as a whole, which an upload of gigabytes would exceed; this one asks for progress. */
export function limitSlowBodies(app: FastifyInstance, milliseconds = bodyMilliseconds): void {
  app.addHook('onRequest', async (request, reply) => {
    const { raw } = request;
    const length = raw.headers['content-length'];
    if (length === '0' || (length === undefined && raw.headers['transfer-encoding'] === undefined)) return;
    let seen = raw.socket.bytesRead;
    const timer = setInterval(() => {
      const came = raw.socket.bytesRead - seen;
      seen += came;
      // What is not taken yet is our delay, not the client's.
      if (raw.readableLength > 0 || came >= (patient.has(raw) ? 1 : leastBytes)) return;
      clearInterval(timer);
      if (raw.httpVersionMajor >= 2) reply.raw.destroy();
      else if (reply.raw.headersSent) raw.socket.destroy();
      else raw.socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n', () => raw.destroy());
    }, milliseconds);
    timer.unref();
    const over = () => clearInterval(timer);
    raw.once('end', over).once('close', over);
  });
}
