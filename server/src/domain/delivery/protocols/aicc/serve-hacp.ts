import type { FastifyInstance, FastifyReply } from 'fastify';
import { hacpAnswer } from '../../../../../../standards/aicc/hacp.ts';
import { beforeProblem, loggedProblem } from '../../../../http/problems.ts';
import { type Guards, registerRoutes } from '../../../../http/serve/dispatch.ts';
import { parseNothing } from '../../../../http/validation/validation.ts';
import type { Context } from '../../../../infra/context/context.ts';
import type { Problem } from '../../../../lib/errors.ts';
import { aiccRoutes, failedText } from './routes.ts';

/** Any origin is allowed, because AICC content runs on other origins and sends no cookies. */
const anyOrigin = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' };

const preflight = {
  'Access-Control-Allow-Methods': 'POST',
  'Access-Control-Allow-Headers': 'Content-Type',
  'Access-Control-Max-Age': '600',
};

/** Statuses that report a problem with the request or the service. All others mean that the session has ended. */
const ownStatuses = Object.keys(aiccRoutes[0]?.responses ?? {}).map(Number);

function sendError(reply: FastifyReply, problem: Problem): FastifyReply {
  beforeProblem(reply, problem);
  const isOwn = ownStatuses.includes(problem.status);
  return reply
    .code(isOwn ? problem.status : 200)
    .type('text/plain; charset=utf-8')
    .header('Cache-Control', 'no-store')
    .send(hacpAnswer(isOwn ? { error: 1, text: failedText } : { error: 3 }));
}

/** Serves HACP. The route parses bodies of any content type itself and has its own error format. */
export function serveHacp(content: FastifyInstance, ctx: Context, guards: Guards): void {
  content.register(async (hacp) => {
    parseNothing(hacp);
    // Some content sends an empty or malformed content type, which Fastify would reject.
    hacp.addHook('onRequest', async (request) => {
      delete request.raw.headers['content-type'];
    });
    hacp.addHook('onSend', async (_request, reply) => {
      void reply.headers(anyOrigin);
    });
    hacp.setErrorHandler((error: unknown, request, reply) =>
      sendError(reply, loggedProblem(error, request, ctx.log)),
    );
    hacp.options('/play/:token/hacp', async (_request, reply) => reply.code(204).headers(preflight).send());
    registerRoutes(hacp, ctx, aiccRoutes, guards);
  });
}
