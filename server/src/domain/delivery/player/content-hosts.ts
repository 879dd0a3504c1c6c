import type { FastifyInstance } from 'fastify';
import { hostOf } from '../../../http/routes.ts';
import type { Context } from '../../../infra/context/context.ts';
import { Problem } from '../../../lib/errors.ts';
import { hasOriginPerCourse, isHostOf } from './content-origins.ts';
import { ownerOf } from './open-sessions.ts';
import { languageOf, textsIn } from './page-texts.ts';
import { ticketIn } from './preview.ts';
import { rejectionPage } from './rejection-page.ts';

/**
 * If each course has its own host name, rejects requests at any other host. Content served there
 * would share an origin with another course. Requests without a token may use any of our hosts.
 */
export function rejectOtherHosts(app: FastifyInstance, ctx: Context): void {
  if (!hasOriginPerCourse(ctx)) return;
  app.addHook('onRequest', async (request, reply) => {
    const { token = ticketIn(request.raw.url ?? '') } = request.params as { token?: string };
    if (isHostOf(ctx, hostOf(request), token === null ? null : ownerOf(ctx, token))) return;
    if (request.routeOptions.config.page) {
      const language = languageOf(request);
      const page = { ...textsIn(language).pages.otherHost, status: 421, language, framing: "'none'" };
      const { status, headers = {}, body } = rejectionPage(page);
      return reply.code(status).headers(headers).send(body);
    }
    throw new Problem(
      'wrong_host',
      'This host name does not serve this content. Open the course again. A proxy must pass on the Host header unchanged.',
    );
  });
}
