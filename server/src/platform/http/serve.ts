import { randomUUID } from 'node:crypto';
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
} from 'fastify';
import type { Context } from '../context.ts';
import { Problem } from '../errors.ts';
import type { Player } from '../load/admission.ts';
import { limitSlowBodies } from '../load/slow-clients.ts';
import { limitUnreadResponse, limitUnreadResponses } from '../load/unread-responses.ts';
import { countRejection } from '../operations/counters.ts';
import { handleClientErrors } from './client-errors.ts';
import { type ConnectionLimits, openHttpServer } from './connections.ts';
import { rejectBeforeBody } from './entry.ts';
import { handleProblems, type ProblemPage, sendProblem, toProblem } from './problems.ts';
import { admitRequests } from './request-admission.ts';
import { logOnRequestEnd } from './request-log.ts';
import { openRequestSlot } from './request-slot.ts';
import type { Caller } from './routes.ts';
import { buildSerializers, buildValidators } from './validation/validation.ts';

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
    openRequestSlot(request, reply);
    void reply.header('X-Request-Id', request.id).headers(protections);
    logOnRequestEnd(ctx, request, reply);
  };
  const limits: ConnectionLimits = {
    peers: ctx.admission.peers,
    reject: (reason) => countRejection(ctx, 'connections', reason),
    fail: (error) => ctx.log.error({ error }, 'a request failed before it reached its route'),
  };
  const options = {
    bodyLimit: 1024 * 1024,
    trustProxy: trustProxy > 0 && ((_address: string, hop: number) => hop < trustProxy),
    logger: false as const,
    genReqId: () => randomUUID(),
    return503OnClosing: false,
    forceCloseConnections: 'idle' as const,
    serverFactory: (handle: Parameters<typeof openHttpServer>[1]) => openHttpServer(tls, handle, limits),
    routerOptions: { maxParamLength: 8192 },
    exposeHeadRoutes: true,
    ...(rewriteUrl ? { rewriteUrl } : {}),
    clientErrorHandler: handleClientErrors(ctx.log, headers),
    // A URL that cannot be decoded reaches neither a route nor its hooks.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      begin(request, reply);
      limitUnreadResponse(ctx, request, reply);
      const problem = toProblem(error) ?? new Problem('malformed_request', 'The request could not be read.');
      return sendProblem(request, reply, problem, problemPage);
    },
  };
  const app = tls ? openHttp2(options) : fastify(options);
  app.decorateRequest('caller', null);
  app.decorateRequest('rejectedKeyId', null);
  app.decorateRequest('tenantId', null);
  app.decorateRequest('player', null);
  app.decorateRequest('slot');
  app.decorateRequest('address', 'unknown');
  limitUnreadResponses(app, ctx);
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    if (ctx.admission.draining && request.raw.httpVersionMajor < 2) void reply.header('Connection', 'close');
    done(rejectBeforeBody(request));
  });
  limitSlowBodies(app);
  admitRequests(app, ctx);
  app.setValidatorCompiler(buildValidators());
  app.setSerializerCompiler(buildSerializers());
  handleProblems(app, ctx.log, problemPage);
  return app;
}
