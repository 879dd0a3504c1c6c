import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { onRequestEnd } from './request-slot.ts';

/**
 * Logs one line per request, even if the client hangs up, because the request may have been carried out. The line
 * contains the route's pattern instead of the URL, which may contain a key, a token or a name.
 */
export function logOnRequestEnd(ctx: Context, request: FastifyRequest, reply: FastifyReply): void {
  if (!ctx.log.isLevelEnabled('info')) return;
  // Read immediately, because a closed connection no longer has an address.
  const address = request.address;
  onRequestEnd(request, () =>
    ctx.log.info(
      {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
        tenant: request.tenantId,
        key: request.caller?.keyId ?? request.rejectedKeyId,
        address,
        ...(reply.raw.writableFinished ? {} : { aborted: true }),
      },
      'request',
    ),
  );
}
