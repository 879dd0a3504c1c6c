import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { cancel, closeConnection, connectionOf, streamOf } from '../http/http2.ts';
import { countRejection } from '../operations/counters.ts';
import { networkOf, reserve } from './budgets.ts';
import { countResponse } from './peers.ts';

/** Drops a response or, with `all`, everything that the client has requested on the connection. */
function drop(request: IncomingMessage, response: ServerResponse, all: boolean): void {
  if (response.closed) return;
  if (all || request.httpVersionMajor < 2) closeConnection(request);
  else cancel(streamOf(request));
}

/**
 * Clients must read their responses, because over HTTP/2 the client decides how much may be sent. A known
 * caller's response has a slot in a pool, and `connections.ts` checks its progress. Anonymous callers have a
 * deadline, and a network may have only a few unread responses without a slot (to rejected requests).
 */
export function limitUnreadResponse(ctx: Context, request: FastifyRequest, reply: FastifyReply): void {
  const { raw, slot } = request;
  const { unread, peers, rejectionMilliseconds, responseMilliseconds } = ctx.admission;
  const hasSlot = Boolean(slot?.leave);
  if (hasSlot && !slot.isAnonymous) return;
  const isDirect = ctx.config.trustProxy === 0;
  const cut = (all: boolean) => {
    countRejection(ctx, 'connections', 'unread');
    drop(raw, reply.raw, all && isDirect);
  };
  const timer = setTimeout(cut, hasSlot ? responseMilliseconds : rejectionMilliseconds, !hasSlot);
  timer.unref();
  const release = hasSlot ? undefined : reserve(unread, networkOf(request.address));
  reply.raw.once('close', () => {
    clearTimeout(timer);
    release?.();
  });
  if (release === null) setImmediate(cut, true);
  if (!hasSlot && peers) countResponse(peers, connectionOf(raw));
}

export function limitUnreadResponses(app: FastifyInstance, ctx: Context): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    limitUnreadResponse(ctx, request, reply);
    done(null, payload);
  });
}
