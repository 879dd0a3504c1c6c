import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from './context.ts';
import { whenOver } from './request-place.ts';

/**
 * One line per request, also when the client hangs up: what it asked for may have been done. The route's pattern stands
 * for the address, which may hold a key, a token or a name.
 */
export function logWhenOver(ctx: Context, request: FastifyRequest, reply: FastifyReply): void {
  if (!ctx.log.isLevelEnabled('info')) return;
  // A closed connection has no address any more.
  const address = request.ip;
  whenOver(request, () =>
    ctx.log.info(
      {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
        tenant: request.tenantId,
        key: request.caller?.keyId ?? request.refusedKeyId,
        address,
        ...(reply.raw.writableFinished ? {} : { aborted: true }),
      },
      'request',
    ),
  );
}
