import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import formBody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { actorOf } from '../actor.ts';
import { admitCaller, checkCredentials } from '../admission.ts';
import type { Context } from '../context.ts';
import { admitUpload, refuseLargeBody } from '../entry.ts';
import { Problem } from '../errors.ts';
import { exportPages, listOf } from '../export.ts';
import { answerOnce, readIdempotencyKey } from '../idempotency.ts';
import { normalizeIdentifiers } from '../ids.ts';
import { checkShape, type JsonShape } from '../json-shape.ts';
import { admitExport, countUnsent, readInTurn, readPage } from '../list-reads.ts';
import type { Inside } from '../once.ts';
import { countCall } from '../rate-limit.ts';
import type { Caller, Route } from '../routes.ts';
import { acceptedRows } from '../rows.ts';

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

export type Authenticate = (ctx: Context, request: FastifyRequest, route: Route) => Promise<Caller>;
export type ResolveTenant = (ctx: Context, request: FastifyRequest, caller: Caller) => Promise<string>;

function namesTenant({ access }: Route, { caller, headers }: FastifyRequest): boolean {
  return (
    access === 'tenant' || (access === 'either' && (!isOperator(caller) || headers.tenant !== undefined))
  );
}

const isOperator = (caller: Caller | null) => caller?.tenantId === null;

/** What requests are checked against, and what answers are filtered by. */
function checksOf({ params, query, body, answers }: Route) {
  const filters = Object.entries(answers).flatMap(([status, { schema, type }]) =>
    schema && !type ? [[status, schema] as const] : [],
  );
  return {
    ...(params ? { params } : {}),
    ...(query ? { querystring: query } : {}),
    ...(body ? { body } : {}),
    response: Object.fromEntries(filters),
  };
}

/** Registers every operation: who may call it, what it takes, and the answer's filter, all from the route's data. */
export function registerRoutes(
  app: FastifyInstance,
  ctx: Context,
  routes: readonly Route[],
  guards: { authenticate: Authenticate; resolveTenant: ResolveTenant },
): void {
  parseBodies(app, routes);
  app.register(formBody);
  for (const route of routes) {
    const list = listOf(route);
    const keyed = route.method === 'POST' && route.access !== 'anyone' && !route.streams;
    app.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      schema: checksOf(route),
      attachValidation: route.forms === true,
      ...(route.access === 'anyone' ? { bodyLimit: anonymousBytes } : {}),
      ...(route.access === 'anyone' && !route.admits ? {} : { config: { admits: 'itself' } }),
      onRequest: async (request, reply) => {
        if (route.access === 'anyone') return refuseLargeBody(request);
        const caller = await checkCredentials(ctx, request, () => guards.authenticate(ctx, request, route));
        request.caller = caller;
        countCall(ctx, caller.keyId, reply);
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
          if (route.access !== 'anyone') await guards.authenticate(ctx, request, route);
        };
        const acting = { ...ctx, actor: actorOf(request), scopes: request.caller?.scopes, checkCaller };
        const scoped = tenantId === null ? acting : { ...acting, tenantId };
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
        if (rows) admitExport(ctx, request);
        const answer =
          list && rows
            ? await exportPages(list, rows, (page) => readPage(page, actInTurn))
            : list
              ? await readPage(query as { Limit: number; Cursor?: string }, actInTurn)
              : key === null
                ? await (route.heavy ? actInTurn() : act())
                : await answerOnce(ctx, request, reply, key, {
                    prepare,
                    shares: route.coalesced ? route.name : null,
                  });
        if (answer.headers) void reply.headers(answer.headers);
        void reply.code(answer.status);
        return answer.body === undefined ? reply.send() : answer.body;
      },
    });
  }
}
