import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import formBody from '@fastify/formbody';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { actorOf } from './actor.ts';
import { admitCaller, checkCredentials } from './admission.ts';
import { answerClientErrors } from './client-errors.ts';
import { type ConnectionLimits, openHttpServer } from './connections.ts';
import type { Context } from './context.ts';
import { countRejection } from './counters.ts';
import { admitUpload, refuseAtOnce, refuseLargeBody } from './entry.ts';
import { Problem } from './errors.ts';
import { exportPages, listOf } from './export.ts';
import type { Guards } from './guards.ts';
import { answerOnce, loginIdIn, readIdempotencyKey } from './idempotency.ts';
import { normalizeIdentifiers } from './ids.ts';
import { checkShape, type JsonShape } from './json-shape.ts';
import { admitExport, countUnsent, readInTurn, readPage, sendInTurn } from './list-reads.ts';
import type { Inside } from './once.ts';
import { handleProblems, sendProblem, toProblem } from './problems.ts';
import { countCall } from './rate-limit.ts';
import { logWhenOver } from './request-log.ts';
import { openPlace } from './request-place.ts';
import { schemaOf } from './route-schema.ts';
import type { Answer, Caller, Route } from './routes.ts';
import { acceptedRows } from './rows.ts';
import { limitSlowBodies } from './slow-clients.ts';
import { admitStrangers } from './strangers.ts';
import { limitUnreadAnswer, limitUnreadAnswers } from './unread-answers.ts';
import { buildSerializers, buildValidators } from './validation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    /** A known key that was refused: revoked or expired. Named in the log only. */
    refusedKeyId: string | null;
    /** The tenant that the request acts on. */
    tenantId: string | null;
  }
}

/**
 * A Fastify server with Lectern's limits, errors and request log; HTTPS with HTTP/2 when the configuration has TLS.
 * `headers` go with every answer, unless a route sets its own.
 */
export function openServer(ctx: Context, headers: Record<string, string>): FastifyInstance {
  const { tls, trustProxy } = ctx.config;
  const protections = {
    'X-Content-Type-Options': 'nosniff',
    ...(tls ? { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' } : {}),
    ...headers,
  };
  const protect = (request: FastifyRequest, reply: FastifyReply) =>
    reply.header('X-Request-Id', request.id).headers(protections);
  const limits: ConnectionLimits = {
    peers: ctx.admission.peers,
    reject: (reason) => countRejection(ctx, 'connections', reason),
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
    clientErrorHandler: answerClientErrors(ctx.log, headers),
    // An address that cannot be decoded reaches neither a route nor its hooks.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      openPlace(request, reply);
      void protect(request, reply);
      logWhenOver(ctx, request, reply);
      limitUnreadAnswer(ctx, request, reply);
      const problem = toProblem(error) ?? new Problem('malformed_request', 'The request could not be read.');
      return sendProblem(reply, problem, request.id);
    },
  };
  const app = tls
    ? (fastify({ ...options, http2: true, https: {} } as never) as unknown as FastifyInstance)
    : fastify(options);
  app.decorateRequest('caller', null);
  app.decorateRequest('refusedKeyId', null);
  app.decorateRequest('tenantId', null);
  app.decorateRequest('place');
  limitUnreadAnswers(app, ctx);
  app.addHook('onRequest', (request, reply, done) => {
    openPlace(request, reply);
    void protect(request, reply);
    logWhenOver(ctx, request, reply);
    if (ctx.admission.draining && request.raw.httpVersionMajor < 2) void reply.header('Connection', 'close');
    done(refuseAtOnce(request));
  });
  limitSlowBodies(app);
  admitStrangers(app, ctx);
  app.setValidatorCompiler(buildValidators());
  app.setSerializerCompiler(buildSerializers());
  handleProblems(app, ctx.log);
  return app;
}

/** The deepest record has four levels; the longest lists are of tenants and courses. */
const recordShape: JsonShape = { depth: 8, values: 20_000 };
/** Of callers that we do not know: forms of a few fields. */
const anonymousBytes = 16 * 1024;

function parseBodies(app: FastifyInstance, routes: readonly Route[]): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, {});
    if (!isUtf8(body))
      return done(new Problem('malformed_request', 'The body is not UTF-8. Encode it as UTF-8.'));
    const text = body.toString();
    checkShape(text, recordShape);
    parse(request, text, done);
  });
  for (const type of new Set(routes.flatMap((route) => route.streams?.types ?? [])))
    app.addContentTypeParser(type, (_request, payload, done) => {
      done(null, payload);
    });
}

function namesTenant({ access }: Route, { caller, headers }: FastifyRequest): boolean {
  return (
    access === 'tenant' || (access === 'either' && (!isOperator(caller) || headers.tenant !== undefined))
  );
}

const isOperator = (caller: Caller | null) => caller?.tenantId === null;

/** Registers every operation: who may call it, what it takes, and the answer's filter, all from the route's data. */
export function registerRoutes(
  app: FastifyInstance,
  ctx: Context,
  routes: readonly Route[],
  guards: Guards,
): void {
  parseBodies(app, routes);
  app.register(formBody);
  for (const route of routes) {
    const list = listOf(route);
    const keyed = route.method === 'POST' && route.access !== 'anyone' && !route.streams;
    app.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      schema: schemaOf(route),
      attachValidation: route.forms === true,
      // A HEAD would make the whole document, and throw it away.
      exposeHeadRoute: !route.whole,
      ...(route.access === 'anyone' ? { bodyLimit: anonymousBytes } : {}),
      ...(route.access === 'anyone' && !route.admits ? {} : { config: { admits: 'itself' } }),
      onRequest: async (request, reply) => {
        if (route.access === 'anyone') return refuseLargeBody(request);
        const caller = await checkCredentials(ctx, request, {
          areShown: guards.showsCredentials(ctx, request),
          look: () => guards.authenticate(ctx, request),
        });
        // Before it is refused, so that the log names it, and calls that are refused are limited, too.
        request.caller = caller;
        countCall(ctx, caller.keyId, reply);
        guards.authorize(caller, route, loginIdIn(request.params));
        if (namesTenant(route, request)) request.tenantId = await guards.resolveTenant(ctx, request, caller);
        if (!route.streams) refuseLargeBody(request);
        if (route.streams) await admitUpload(ctx, request, caller, route.streams.bulk === true);
        else admitCaller(ctx, request, caller);
      },
      preValidation: async (request) => {
        for (const part of [request.params, request.query]) normalizeIdentifiers(part);
        if (!(request.body instanceof Readable)) normalizeIdentifiers(request.body);
        if (!route.forms && request.headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
          throw new Problem('unsupported_media_type', 'Send the body as application/json.');
        if (route.body && (request.body === undefined || request.body === null)) request.body = {};
        const streamed = request.body instanceof Readable && request.headers['content-type']?.split(';')[0];
        if (streamed ? !route.streams?.types.includes(streamed.trim().toLowerCase()) : route.streams)
          throw new Problem(
            'unsupported_media_type',
            `Send the body with Content-Type: ${route.streams?.types.join(' or ') ?? 'application/json'}.`,
          );
      },
      ...(list
        ? {
            onSend: (request, _reply, payload, done) => {
              countUnsent(ctx, request, payload);
              done(null, payload);
            },
          }
        : {}),
      handler: async (request, reply) => {
        const { params, query, body } = request;
        const tenantId = request.tenantId;
        const checkCaller = async () => {
          if (route.access === 'anyone') return;
          guards.authorize(await guards.authenticate(ctx, request), route, loginIdIn(request.params));
        };
        const actor = actorOf(request);
        const scopes = request.caller?.scopes;
        const scoped =
          tenantId === null
            ? { ...ctx, actor, scopes, checkCaller }
            : { ...ctx, actor, scopes, checkCaller, tenantId };
        const prepare = async (more?: object) => {
          if (more && 'Cursor' in more) await checkCaller();
          const input = { params, query: more ? { ...(query as object), ...more } : query, body, request };
          const prepared = await route.prepare?.(scoped, input as never);
          return (inside?: Inside) =>
            route.handle(inside ? { ...scoped, ...inside } : scoped, { ...input, prepared } as never, reply);
        };
        const act = async (more?: object) => (await prepare(more))();
        const key = keyed ? readIdempotencyKey(request) : null;
        const rows = list && request.method === 'GET' ? acceptedRows(request.headers.accept) : null;
        const actInTurn = (more?: object) => readInTurn(ctx, request, () => act(more));
        if (rows || route.whole) admitExport(ctx, request);
        const shares = route.coalesced ? route.name : null;
        const answerOf = () =>
          key === null ? act() : answerOnce(ctx, request, reply, key, { prepare, shares });
        const answer =
          list && rows
            ? await exportPages(list, rows, (page) => readPage(page, actInTurn))
            : list
              ? await readPage(query as { Limit: number; Cursor?: string }, actInTurn)
              : await (route.heavy || route.whole ? readInTurn(ctx, request, answerOf) : answerOf());
        if (answer.headers) void reply.headers(answer.headers);
        void reply.code(answer.status);
        if (answer.body === undefined) return reply.send();
        return route.whole ? sendInTurn(ctx, request, partsOf(answer)) : answer.body;
      },
    });
  }
}

/** What `whole` promises of an answer. */
const partsOf = ({ body }: Answer) => body as AsyncGenerator<string>;
