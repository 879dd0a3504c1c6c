import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createSecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
} from 'fastify';
import { enterServer, type Player, type ServerName } from '../../infra/calls/limits.ts';
import type { Config } from '../../infra/context/config.ts';
import type { Context } from '../../infra/context/context.ts';
import { closeConnection, onRequestEnd, watchRequestEnd } from '../../infra/context/request-end.ts';
import { Problem } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { handleProblems, type ProblemPage, problemDocument, sendProblem, toProblem } from '../problems.ts';
import type { Caller } from '../routes.ts';
import { buildSerializers, buildValidators } from '../validation/validation.ts';
import { rejectBeforeBody } from './dispatch.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Longer than the idle timeout of load balancers, which is usually 60 s. */
const idleMilliseconds = 72_000;
/** A connection without traffic in either direction is closed after this time, whatever it is waiting for. */
const silenceMilliseconds = 600_000;
/** `requestTimeout` includes the body: a package of 2 GiB takes half an hour over 10 Mbit/s. */
const timeouts = { headersTimeout: 15_000, requestTimeout: 1_800_000, connectionsCheckingInterval: 5_000 };
/** A browser opens six connections. The process may open 65,536 files in most systemd units and containers. */
const maxConnections = 20_000;

/** Browsers load a course's files in parallel. Clients that keep cancelling requests are disconnected. */
const streamLimits = {
  settings: { maxConcurrentStreams: 100 },
  streamResetBurst: 200,
  streamResetRate: 20,
};

/**
 * Node's server for one origin: HTTPS with HTTP/2 if the configuration has TLS. An error that `handle` does not catch
 * ends the request's connection, not the process.
 */
export function openHttpServer(
  tls: Config['tls'],
  handle: Handler,
  fail: (error: unknown) => void = () => {},
): Server {
  const contained: Handler = (request, response) => {
    try {
      handle(request, response);
    } catch (error) {
      fail(error);
      closeConnection(request);
    }
  };
  const server = tls ? openSecureServer(tls, contained) : createServer(timeouts, contained);
  // Without this, Node would respond with 417. An unknown expectation may be ignored (RFC 9110 §10.1.1).
  server.on('checkExpectation', contained);
  server.keepAliveTimeout = idleMilliseconds;
  server.maxConnections = maxConnections;
  server.setTimeout(silenceMilliseconds);
  return server;
}

function openSecureServer(tls: NonNullable<Config['tls']>, handle: Handler): Server {
  const certificate = { key: readFileSync(tls.keyFile), cert: readFileSync(tls.certFile) };
  const options = { ...certificate, allowHTTP1: true, ...streamLimits, ...timeouts };
  const server = createSecureServer(options, handle as never);
  server.on('session', (session) => session.setTimeout(idleMilliseconds, () => session.close()));
  return server as unknown as Server;
}

const lingerMilliseconds = 1_000;

function problemOf(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Problem(
      'headers_too_large',
      'The URL and headers can have at most 16 kB in total. Shorten the URL, or send fewer or shorter headers.',
    );
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem('request_timeout', 'The request did not arrive in time. Send it again.');
  return new Problem(
    'malformed_request',
    'This is not a valid HTTP request. Percent-encode the URL, and send the body with Content-Length or chunked encoding.',
  );
}

/**
 * Sends a problem document for requests that the HTTP parser rejects, and then closes the
 * connection. Such requests never reach a route.
 */
function handleClientErrors(log: Log, headers: Record<string, string>) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const requestId = randomUUID();
    const problem = problemOf(error.code);
    log.info({ request_id: requestId, route: null, status: problem.status, reason: error.code }, 'request');
    if (!socket.writable) return void socket.destroy();
    const body = JSON.stringify(problemDocument(problem, requestId));
    const lines = Object.entries({
      ...headers,
      'X-Request-Id': requestId,
      'X-Content-Type-Options': 'nosniff',
      'Content-Type': 'application/problem+json; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
      Connection: 'close',
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    // Keeps reading from the client for a moment, because a reset would discard the response.
    socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`);
    socket.resume();
    setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
  };
}

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
function logOnRequestEnd(ctx: Context, request: FastifyRequest, reply: FastifyReply): void {
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

/** Fastify has separate types for HTTP/2. The casts are safe because `serverFactory` opens the server in both cases. */
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
    routerOptions: { maxParamLength: 8192, ignoreTrailingSlash: true },
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
