import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Route } from '../../http/routes.ts';
import { type Guards, registerRoutes } from '../../http/serve/dispatch.ts';
import { parseNothing } from '../../http/validation/validation.ts';
import type { Context } from '../../infra/context/context.ts';
import { serveAlternateRequests } from './alternate-request.ts';
import type { FindAuSession, RecordRefusal } from './au-session.ts';
import { answeredVersion, lrsAuthenticate } from './lrs-request.ts';
import { recordRefusals } from './refusals.ts';

const exposed = [
  'ETag',
  'Last-Modified',
  'X-Experience-API-Version',
  'X-Experience-API-Consistent-Through',
  'X-Request-Id',
  'Retry-After',
].join(', ');

/** Allows any origin, because AUs run on other origins. AUs send their token in a header and use no cookies. */
function setHeaders(request: FastifyRequest, reply: FastifyReply): void {
  void reply.headers({
    'X-Experience-API-Version': answeredVersion(request),
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': exposed,
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
}

const preflight = {
  'Access-Control-Allow-Methods': 'GET, HEAD, PUT, POST, DELETE',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, X-Experience-API-Version, If-Match, If-None-Match, Accept-Language, Idempotency-Key',
  'Access-Control-Max-Age': '600',
};

/** Serves the LRS. Only its routes accept bodies of any type, Basic credentials and callers from other origins. */
export function serveLrs(
  api: FastifyInstance,
  ctx: Context,
  routes: readonly Route[],
  {
    guards,
    findAuSession,
    recordRefusal,
  }: { guards: Guards; findAuSession: FindAuSession; recordRefusal: RecordRefusal },
): void {
  api.register(async (lrs) => {
    parseNothing(lrs);
    lrs.decorateRequest('auSession', null);
    recordRefusals(lrs, ctx, recordRefusal);
    lrs.addHook('onSend', async (request, reply) => setHeaders(request, reply));
    for (const path of new Set(routes.map((route) => route.path)))
      lrs.options(path, async (_request, reply) => reply.code(204).headers(preflight).send());
    serveAlternateRequests(lrs, api);
    registerRoutes(lrs, ctx, routes, {
      ...guards,
      authenticate: lrsAuthenticate(guards.authenticate, findAuSession),
    });
  });
}
