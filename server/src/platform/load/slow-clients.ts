import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { streamOf } from '../http/http2.ts';
import type { RequestSlot } from '../http/request-slot.ts';

/** Options for Node's server: the time limit for a request's headers, and how often it is checked. */
export const headerLimits = { headersTimeout: 15_000, connectionsCheckingInterval: 5_000 };

/** A connection without traffic in either direction is closed after this time, whatever it is waiting for. */
export const silenceMilliseconds = 600_000;

/**
 * Any mobile network transfers 8 kB within a second or two. By the second check, a body must be
 * complete unless it is an upload.
 */
const checkMilliseconds = 15_000;
const minBytesPerCheck = 8 * 1024;
const uploadChecks = 2;

/**
 * The rest of a rejected request is read and discarded for this long. Otherwise, a reset would
 * discard the response.
 */
const lingerMilliseconds = 1_000;

const uploads = new WeakSet<IncomingMessage>();

/** Marks an upload or a stream of rows, which has no deadline but must deliver 8 kB every 30 s. */
export function allowUpload(request: FastifyRequest): void {
  uploads.add(request.raw);
}

/** Ends the request unless its whole body arrives within this many milliseconds. */
export function setBodyDeadline({ raw, slot }: FastifyRequest, milliseconds: number): void {
  const timer = setTimeout(() => slot.reply && endRequest(slot.reply), milliseconds);
  timer.unref();
  const over = () => clearTimeout(timer);
  raw.once('end', over).once('close', over);
}

/**
 * Whether a body follows. Over HTTP/2, it follows unless the headers ended the stream, whatever
 * length they declare.
 */
export function hasBody(raw: IncomingMessage): boolean {
  const { headers } = raw;
  if (raw.httpVersionMajor >= 2) return !streamOf(raw).endAfterHeaders;
  const length = headers['content-length'];
  return length !== undefined ? length !== '0' : headers['transfer-encoding'] !== undefined;
}

/** The amount of a body that had arrived at the last check, and the time of the next check. */
type Watched = { readonly slot: RequestSlot; seen: number; checks: number; due: number };

/**
 * Ends slow requests. Node's own limit covers the whole request, so it would also end an upload of
 * gigabytes.
 */
export function limitSlowBodies(app: FastifyInstance, milliseconds = checkMilliseconds): void {
  // This is an array, because a growing Map leaves tables behind that keep requests alive until the next
  // full garbage collection.
  let watched: Watched[] = [];
  // All bodies share one timer. Most bodies arrive so soon that separate timers would not be worth
  // their cost.
  const timer = setInterval(() => {
    const now = performance.now();
    watched = watched.filter((body) => isArriving(body, now, milliseconds));
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
    watched.push({ slot: request.slot, seen: raw.socket.bytesRead, checks: 0, due });
    done();
  });
}

/** Whether to keep watching the body. Ends the request if it arrives too slowly. */
function isArriving(body: Watched, now: number, milliseconds: number): boolean {
  const { reply } = body.slot;
  // A request that Node has destroyed has no socket.
  if (!reply || reply.request.raw.complete || reply.request.raw.destroyed) return false;
  if (now < body.due || !isTooSlow(reply.request.raw, body, milliseconds)) return true;
  endRequest(reply);
  return false;
}

function isTooSlow(raw: IncomingMessage, body: Watched, milliseconds: number): boolean {
  body.checks++;
  body.due += milliseconds;
  const isUpload = uploads.has(raw);
  if (isUpload && body.checks % uploadChecks !== 0) return false;
  const came = raw.socket.bytesRead - body.seen;
  body.seen += came;
  // If we have not read all received bytes, the delay is our fault, not the client's.
  return !(raw.readableLength > 0 || (came >= minBytesPerCheck && (isUpload || body.checks === 1)));
}

function endRequest(reply: FastifyReply): void {
  const { raw } = reply.request;
  if (raw.httpVersionMajor >= 2) reply.raw.destroy();
  else if (reply.raw.headersSent) raw.socket.destroy();
  else raw.socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n', () => raw.destroy());
}

/** Reads the rest of a body in small steps. Once the response is finished, Node would read 2 MB at a time. */
async function discard(body: IncomingMessage): Promise<void> {
  try {
    for await (const _ of body) await nextTurn();
  } catch {
    // The client has hung up, or `dropUnreadBody` has stopped waiting.
  }
}

/** Closes the connection of a client that keeps sending a body after its request was rejected. */
export function dropUnreadBody({ request, raw: response }: FastifyReply): void {
  const { raw } = request;
  if (!hasBody(raw) || raw.complete) return;
  response.once('prefinish', () => void discard(raw));
  response.once('finish', () => {
    if (raw.complete) return;
    // Stop reading, because chunks of one byte would keep us busy. The client can still read the
    // response. The pause is deferred, because Node first resumes the socket once more.
    if (raw.headers['transfer-encoding'] !== undefined)
      setImmediate(() => raw.complete || raw.socket.pause());
    const timer = setTimeout(() => {
      if (raw.httpVersionMajor >= 2) response.destroy();
      else raw.destroy();
    }, lingerMilliseconds);
    raw.once('end', () => clearTimeout(timer));
  });
}
