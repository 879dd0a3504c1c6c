import type { FastifyInstance } from 'fastify';
import type { Context } from '../../platform/context.ts';
import { Problem } from '../../platform/errors.ts';
import { hasOriginPerCourse, isHostOf } from './content-origins.ts';
import { ownerOf } from './open-sessions.ts';
import { ticketIn } from './preview.ts';
import { refusal } from './refusal-page.ts';

const otherHost = refusal({
  status: 421,
  title: 'This page is out of date',
  reason: 'It does not belong to this address. Open the course again from where you found it.',
  framing: "'none'",
});

/**
 * If each course has its own host name, a request must arrive at the host of its token's course or, without a token, at
 * one of our hosts. Content served elsewhere would share an origin with another course.
 */
export function refuseOtherHosts(app: FastifyInstance, ctx: Context): void {
  if (!hasOriginPerCourse(ctx)) return;
  app.addHook('onRequest', async (request, reply) => {
    const { token = ticketIn(request.raw.url ?? '') } = request.params as { token?: string };
    if (isHostOf(ctx, request.hostname, token === null ? null : ownerOf(ctx, token))) return;
    if (request.routeOptions.config.page)
      return reply
        .code(otherHost.status)
        .headers(otherHost.headers ?? {})
        .send(otherHost.body);
    throw new Problem(
      'wrong_host',
      'This host name does not serve this content. Open the course again. A proxy must pass on the Host header unchanged.',
    );
  });
}
