import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { streamOf } from './http2.ts';
import { whenOver } from './request-place.ts';

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

/** An upload or a stream of rows has no deadline, but must bring 8 kB in 30 s. */
export function allowUpload(request: FastifyRequest): void {
  uploads.add(request.raw);
}

/** The whole body must be there in so many milliseconds. */
export function hurryBody({ raw, place }: FastifyRequest, milliseconds: number): void {
  const timer = setTimeout(endRequest, milliseconds, raw, place.reply);
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

/** What came of a body until the last look, and when the next look is due; null: its request is over. */
type Watched = { request: FastifyRequest | null; seen: number; looks: number; due: number };

/** Node's own limit is for a request as a whole, which an upload of gigabytes would exceed. */
export function limitSlowBodies(app: FastifyInstance, milliseconds = lookMilliseconds): void {
  // Not a Map: the tables that it outgrows keep requests alive until the next full garbage collection.
  let watched: Watched[] = [];
  // One timer for all: most bodies are there before one of their own would have been worth its cost.
  const timer = setInterval(() => {
    const now = performance.now();
    watched = watched.filter((body) => isComing(body, now, milliseconds));
  }, milliseconds / 15);
  timer.unref();
  app.addHook('onClose', (_app, done) => {
    clearInterval(timer);
    done();
  });
  app.addHook('onRequest', (request, _reply, done) => {
    const { raw } = request;
    if (!hasBody(raw)) return done();
    const due = performance.now() + milliseconds;
    const body: Watched = { request, seen: raw.socket.bytesRead, looks: 0, due };
    watched.push(body);
    whenOver(request, () => {
      body.request = null;
    });
    done();
  });
}

/** Whether the body is still to be watched. Ends the request when it comes too slowly. */
function isComing(body: Watched, now: number, milliseconds: number): boolean {
  const { request } = body;
  if (!request || request.raw.complete) return false;
  if (now < body.due || !isTooSlow(request.raw, body, milliseconds)) return true;
  endRequest(request.raw, request.place.reply);
  return false;
}

function isTooSlow(raw: IncomingMessage, body: Watched, milliseconds: number): boolean {
  body.looks++;
  body.due += milliseconds;
  const isUpload = uploads.has(raw);
  if (isUpload && body.looks % uploadLooks !== 0) return false;
  const came = raw.socket.bytesRead - body.seen;
  body.seen += came;
  // What is not taken yet is our delay, not the client's.
  return !(raw.readableLength > 0 || (came >= leastBytes && (isUpload || body.looks === 1)));
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
