import { randomUUID } from 'node:crypto';
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
} from 'fastify';
import type { Context } from '../../infra/context/context.ts';
import { enterServer, type Player, type ServerName } from '../../infra/load/limits.ts';
import { watchRequestEnd } from '../../infra/load/request-end.ts';
import { Problem } from '../../lib/errors.ts';
import { handleProblems, type ProblemPage, sendProblem, toProblem } from '../problems.ts';
import type { Caller } from '../routes.ts';
import { buildSerializers, buildValidators } from '../validation/validation.ts';
import { handleClientErrors } from './client-errors.ts';
import { openHttpServer } from './connections.ts';
import { rejectBeforeBody } from './entry.ts';
import { logOnRequestEnd } from './request-log.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    /** The ID of a known key that was rejected as revoked or expired. It appears only in the log. */
    rejectedKeyId: string | null;
    /** The tenant that the request acts on. */
    tenantId: string | null;
    /** The learner or preview whose budgets the request uses. */
    player: Player | null;
    /** The client's address, or `unknown` if the client had already hung up. Use this instead of Fastify's `ip`. */
    address: string;
  }
  interface FastifyContextConfig {
    /** Probes are answered even if all slots are in use. */
    isProbe?: true;
  }
}

/**
 * Fastify has separate types for HTTP/2. The casts are safe because `serverFactory` opens the server in both
 * cases.
 */
const openHttp2 = (options: FastifyServerOptions) =>
  fastify({ ...options, http2: true, https: {} } as never) as unknown as FastifyInstance;

/** Returns the URL by which a request is routed. */
type RewriteUrl = (request: { method?: string | undefined; url?: string | undefined }) => string;

/**
 * A Fastify server with Lectern's limits, errors and request log; HTTPS with HTTP/2 if the configuration has TLS. Every
 * response has these `headers`, unless a route sets its own.
 */
export function openServer(
  ctx: Context,
  name: ServerName,
  headers: Record<string, string>,
  { rewriteUrl, problemPage }: { rewriteUrl?: RewriteUrl; problemPage?: ProblemPage } = {},
): FastifyInstance {
  const { tls, trustProxy } = ctx.config;
  const protections = {
    'X-Content-Type-Options': 'nosniff',
    ...(tls ? { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' } : {}),
    ...headers,
  };
  const begin = (request: FastifyRequest, reply: FastifyReply) => {
    request.address = request.ip ?? 'unknown';
    watchRequestEnd(request, reply);
    void reply.header('X-Request-Id', request.id).headers(protections);
    logOnRequestEnd(ctx, request, reply);
  };
  const fail = (error: unknown) => ctx.log.error({ error }, 'a request failed before it reached its route');
  const options = {
    bodyLimit: 1024 * 1024,
    trustProxy: trustProxy > 0 && ((_address: string, hop: number) => hop < trustProxy),
    logger: false as const,
    genReqId: () => randomUUID(),
    return503OnClosing: false,
    forceCloseConnections: 'idle' as const,
    serverFactory: (handle: Parameters<typeof openHttpServer>[1]) => openHttpServer(tls, handle, fail),
    routerOptions: { maxParamLength: 8192 },
    exposeHeadRoutes: true,
    ...(rewriteUrl ? { rewriteUrl } : {}),
    clientErrorHandler: handleClientErrors(ctx.log, headers),
    // A URL that cannot be decoded reaches neither a route nor its hooks.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      begin(request, reply);
      const problem = toProblem(error) ?? new Problem('malformed_request', 'The request could not be read.');
      return sendProblem(request, reply, problem, problemPage);
    },
  };
  const app = tls ? openHttp2(options) : fastify(options);
  app.decorateRequest('caller', null);
  app.decorateRequest('rejectedKeyId', null);
  app.decorateRequest('tenantId', null);
  app.decorateRequest('player', null);
  app.decorateRequest('hasEnded', false);
  app.decorateRequest('atEnd');
  app.decorateRequest('address', 'unknown');
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    if (ctx.load.draining && request.raw.httpVersionMajor < 2) void reply.header('Connection', 'close');
    if (!request.routeOptions.config.isProbe) enterServer(ctx, request, name);
    done(rejectBeforeBody(request));
  });
  app.setValidatorCompiler(buildValidators());
  app.setSerializerCompiler(buildSerializers());
  handleProblems(app, ctx.log, problemPage);
  return app;
}
