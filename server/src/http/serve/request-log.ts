import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../infra/context/context.ts';
import { onRequestEnd } from '../../infra/load/request-end.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `failures`: requests are logged only if they fail or are aborted, such as for files and probes. */
    logs?: 'failures';
  }
}

/**
 * Logs one line per request, even if the client hangs up, because the request may have been carried out. The line
 * contains the route's pattern instead of the URL, which may contain a key, a token or a name. Routes for files and
 * probes log only failures, because one page loads dozens of files.
 */
export function logOnRequestEnd(ctx: Context, request: FastifyRequest, reply: FastifyReply): void {
  if (!ctx.log.isLevelEnabled('info')) return;
  // Read immediately, because a closed connection no longer has an address.
  const address = request.address;
  onRequestEnd(request, () => {
    const { routeOptions, player } = request;
    const isAborted = !reply.raw.writableFinished;
    const hasFailed = isAborted || reply.statusCode >= 400;
    if (routeOptions.config?.logs === 'failures' && !hasFailed) return;
    ctx.log.info(
      {
        request_id: request.id,
        method: request.method,
        route: routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
        tenant: request.tenantId ?? player?.tenantId ?? null,
        ...(player?.enrollId ? { enrolment: player.enrollId } : {}),
        key: request.caller?.keyId ?? request.rejectedKeyId,
        address,
        ...(isAborted ? { aborted: true } : {}),
      },
      'request',
    );
  });
}
