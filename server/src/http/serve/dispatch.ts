import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { forTenant } from '../../db/transaction.ts';
import { beginWithin, countCall, countUse, enterPlayer, enterTenant } from '../../infra/calls/limits.ts';
import { perform, type Work } from '../../infra/calls/once.ts';
import type { Actor, Context, TenantContext } from '../../infra/context/context.ts';
import { streamOf } from '../../infra/context/request-end.ts';
import { Problem } from '../../lib/errors.ts';
import { cleanFields } from '../../lib/unicode.ts';
import { loginIdIn, readIdempotencyKey, respondOnce } from '../idempotency.ts';
import { notFound } from '../problems.ts';
import type { Caller, Route, RouteResponse } from '../routes.ts';
import { exportPages, listOf } from '../rows/export.ts';
import { acceptedRows } from '../rows/rows.ts';
import { requireDiskSpace } from '../rows/uploads.ts';
import { acceptLowerCase, declaredBytes } from '../validation/validation.ts';

/** Returns the caller; throws without valid credentials. */
export type Authenticate = (ctx: Context, request: FastifyRequest) => Promise<Caller>;
/** Throws if the caller may not call the route; `loginId` is the LoginID in the path. */
type Authorize = (caller: Caller, route: Route, loginId: string | null) => void;
export type ResolveTenant = (ctx: Context, request: FastifyRequest, caller: Caller) => Promise<string>;
/** Admits anyone who has the ticket or session in the path, before the body is read. */
export type EnterSession = (ctx: Context, request: FastifyRequest, route: Route) => Promise<void>;

/** How each kind of caller is admitted. */
export type Guards = {
  authenticate: Authenticate;
  authorize: Authorize;
  resolveTenant: ResolveTenant;
  enterSession: EnterSession;
};

function kindOf(caller: Caller | null): Actor['kind'] {
  if (caller === null) return 'anyone';
  if (!caller.isSession) return caller.tenantId === null ? 'operator_key' : 'key';
  if (caller.tenantId === null) return 'operator';
  return caller.learner === undefined ? 'administrator' : 'learner';
}

/** Identifies the sender of a request. Omits learners' IP addresses, because audit entries cannot be erased. */
export function actorOf(request: FastifyRequest): Actor {
  const { caller } = request;
  const kind = kindOf(caller);
  return {
    kind,
    id: caller?.keyId ?? null,
    userId: caller?.userId ?? null,
    address: kind === 'learner' ? null : request.address,
    requestId: request.id,
  };
}

/** Rejects requests that no caller may send, before reading the body. */
export function rejectBeforeBody(request: FastifyRequest): Problem | undefined {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    return new Problem('unsupported_media_type', 'Send the body uncompressed, without Content-Encoding.');
  return request.is404 && hasBody(request.raw) ? notFound(request) : undefined;
}

/** Rejects a body by its declared length, before reading it. */
export function rejectLargeBody(request: FastifyRequest): void {
  const bytes = declaredBytes(request);
  if (bytes === 0) return;
  const { bodyLimit = 0 } = request.routeOptions;
  if (bytes > bodyLimit)
    throw new Problem(
      'payload_too_large',
      `The body is larger than ${bodyLimit} bytes. Split it into several requests.`,
    );
}

/** Admits a known caller's upload: a package, or the rows of a bulk call. */
async function admitUpload(ctx: Context, request: FastifyRequest, isBulk: boolean): Promise<void> {
  await requireDiskSpace(ctx, declaredBytes(request));
  const { tenantId } = request;
  if (isBulk && tenantId !== null) beginWithin(ctx, request, 'bulk_calls', tenantId);
}

/** Whether a body follows. Over HTTP/2, it follows unless the headers ended the stream, whatever length they declare. */
function hasBody(raw: IncomingMessage): boolean {
  const { headers } = raw;
  if (raw.httpVersionMajor >= 2) return !streamOf(raw).endAfterHeaders;
  const length = headers['content-length'];
  return length !== undefined ? length !== '0' : headers['transfer-encoding'] !== undefined;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

const fileOptions = { contentType: false, dotfiles: 'allow', index: false, cacheControl: false } as const;

function send(reply: FastifyReply, { status, body, headers, file }: RouteResponse): unknown {
  if (headers) void reply.headers(headers);
  if (file) return reply.sendFile(file.path, file.folder, fileOptions);
  void reply.code(status);
  return body === undefined ? reply.send() : body;
}

/** Responds to the player page, whose ticket or session identifies the learner. */
function sessionHandler(ctx: Context, route: Route): Handler {
  return async (request, reply) => {
    const { params, query, body } = request;
    const input = { params, query, body, request, prepared: undefined, turn: 0 };
    if ('submission' in route) throw new Error(`Only a tenant can call ${route.name}.`);
    return send(reply, await route.handle(ctx, input as never, reply));
  };
}

/** An API request, with the context for its service function. */
type Call = {
  ctx: Context;
  route: Route;
  request: FastifyRequest;
  reply: FastifyReply;
  turn?: number;
};

function contextOf(
  ctx: Context,
  route: Route,
  guards: Guards,
  request: FastifyRequest,
): Context | TenantContext {
  const checkCaller = async () => {
    if (route.access === 'anyone') return;
    guards.authorize(await guards.authenticate(ctx, request), route, loginIdIn(request.params));
  };
  const { tenantId } = request;
  const actor = actorOf(request);
  const scopes = request.caller?.scopes;
  const acting = { ...ctx, actor, scopes, checkCaller };
  return tenantId === null ? acting : forTenant(acting, tenantId);
}

/** Builds the handler's input. `more` contains additional query fields that select one of several pages. */
async function inputOf({ ctx, route, request, turn = 0 }: Call, more?: object) {
  if (more && 'Cursor' in more) await ctx.checkCaller?.();
  const { params, query, body } = request;
  const asked = { params, query: more ? { ...(query as object), ...more } : query, body, request };
  return Object.assign(asked, { prepared: await route.prepare?.(ctx, asked as never), turn });
}

/** Does the route's slow work and returns what remains to be done. */
async function prepare(call: Call, more?: object): Promise<Work<RouteResponse>> {
  const { ctx, route, reply } = call;
  const input = await inputOf(call, more);
  if ('submission' in route) return route.submission(ctx as TenantContext, input as never);
  return (inside) => route.handle({ ...ctx, ...inside }, input as never, reply);
}

/** The cast is safe, because only routes with a tenant submit rows. */
const act = (call: Call, more?: object): Promise<RouteResponse> =>
  perform(call.ctx as TenantContext, () => prepare(call, more));

const actOnce = (call: Call, key: string): Promise<RouteResponse> =>
  respondOnce(call.ctx, call.request, call.reply, key, () => prepare(call));

function readList(call: Call, list: NonNullable<ReturnType<typeof listOf>>): Promise<RouteResponse> {
  const rows = call.request.method === 'GET' ? acceptedRows(call.request.headers.accept) : null;
  return rows ? exportPages(list, rows, (page) => act(call, page)) : act(call);
}

/** Calls the handler until it has done all of its work, each time in a transaction of its own. */
async function workInParts(work: (turn: number) => Promise<RouteResponse>): Promise<RouteResponse> {
  for (let turn = 0; ; turn++) {
    const answer = await work(turn);
    if (!answer.isPartial) return answer;
  }
}

/** Responds to API callers. Runs once per Idempotency-Key, and sends rows if the caller requests them. */
function callHandler(ctx: Context, route: Route, guards: Guards): Handler {
  const list = listOf(route);
  const keyed = route.method === 'POST' && route.access !== 'anyone' && !route.streams;
  return async (request, reply) => {
    const call = { ctx: contextOf(ctx, route, guards, request), route, request, reply };
    // Only the tenant's applications can use Idempotency-Keys. Otherwise, a course could use a key before the
    // application does.
    const isKeyed = keyed && !request.caller?.player;
    const key = isKeyed ? readIdempotencyKey(request) : null;
    if (list && key === null) return send(reply, await readList(call, list));
    const work = (turn = 0) => (key === null ? act({ ...call, turn }) : actOnce(call, key));
    const answer = await workInParts(work);
    await route.afterwards?.(call.ctx);
    return send(
      reply,
      route.streamsResponse
        ? { ...answer, body: Readable.from(partsOf(answer), { objectMode: false }) }
        : answer,
    );
  };
}

/** The cast is safe: a route that declares `streamsResponse` returns its body in parts. */
const partsOf = ({ body }: RouteResponse) => body as AsyncGenerator<string>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Copied from the route's `page`. */
    page?: true;
    /** Copied from the route's `sendsFile`. */
    sendsFile?: true;
  }
}

/** Anonymous callers only send forms with a few fields. */
const anonymousBytes = 16 * 1024;

type EntryCheck = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
type Step = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;

const isOperator = (caller: Caller | null) => caller?.tenantId === null;

function namesTenant({ access }: Route, { caller, headers }: FastifyRequest): boolean {
  return (
    access === 'tenant' || (access === 'either' && (!isOperator(caller) || headers.tenant !== undefined))
  );
}

/** Authorises the caller and counts the call before any of the body is read. */
function entryCheckOf(ctx: Context, route: Route, guards: Guards): EntryCheck {
  if (route.access === 'anyone') return async (request) => rejectLargeBody(request);
  if (route.access === 'session') return (request) => guards.enterSession(ctx, request, route);
  return async (request, reply) => {
    const caller = await guards.authenticate(ctx, request);
    // Set the caller before any rejection, so that the log names the key and rejected calls are
    // rate-limited too.
    request.caller = caller;
    countCall(ctx, caller.keyId, reply);
    guards.authorize(caller, route, loginIdIn(request.params));
    if (namesTenant(route, request)) request.tenantId = await guards.resolveTenant(ctx, request, caller);
    countUse(ctx, caller.tenantId ?? request.tenantId, 'calls');
    if (!route.streams) rejectLargeBody(request);
    if (route.streams) await admitUpload(ctx, request, route.streams.bulk === true);
    if (caller.player) enterPlayer(ctx, request, caller.player, { bytes: declaredBytes(request) });
    else enterTenant(ctx, request, caller.tenantId ?? request.tenantId, 'api');
  };
}

/** Many clients name a type even if they send nothing. Without the type, an empty body is not parsed. */
const ignoreTypeOfNothing: Step = ({ headers }, _reply, done) => {
  if (headers['content-length'] === '0') delete headers['content-type'];
  done();
};

/** Converts the input into the form that the schemas validate. */
function preparation({ forms, query, body, streams }: Route): Step {
  return (request, _reply, done) => {
    if (query) acceptLowerCase(request.query, query);
    for (const part of [request.params, request.query]) cleanFields(part);
    if (Buffer.isBuffer(request.body)) return done();
    if (!(request.body instanceof Readable)) cleanFields(request.body, { blankIsNull: true });
    if (!forms && request.headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
      throw new Problem('unsupported_media_type', 'Send the body as application/json.');
    if (body && (request.body === undefined || request.body === null)) request.body = {};
    const streamed = request.body instanceof Readable && request.headers['content-type']?.split(';')[0];
    if (streamed ? !streams?.types.includes(streamed.trim().toLowerCase()) : streams)
      throw new Problem(
        'unsupported_media_type',
        `Send the body with Content-Type: ${streams?.types.join(' or ') ?? 'application/json'}.`,
      );
    done();
  };
}

function checksOf({ params, query, body, responses }: Route) {
  const filters = Object.entries(responses).flatMap(([status, { schema, type }]) =>
    schema && !type ? [[status, schema] as const] : [],
  );
  return {
    ...(params ? { params } : {}),
    ...(query ? { querystring: query } : {}),
    ...(body ? { body } : {}),
    response: Object.fromEntries(filters),
  };
}

/** Registers every operation with its access rules, input and response filter, all taken from the route's data. */
export function registerRoutes(
  app: FastifyInstance,
  ctx: Context,
  routes: readonly Route[],
  guards: Guards,
): void {
  for (const route of routes) {
    const isOpen = route.access === 'anyone';
    const isSession = route.access === 'session';
    const bodyLimit = route.bodyLimit ?? (isOpen ? anonymousBytes : undefined);
    app.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      schema: checksOf(route),
      attachValidation: route.forms === true,
      // A HEAD request would generate the whole document and discard it.
      exposeHeadRoute: !route.streamsResponse,
      ...(bodyLimit === undefined ? {} : { bodyLimit }),
      config: {
        ...(route.page ? { page: true } : {}),
        ...(route.sendsFile ? { sendsFile: true } : {}),
        ...(route.logs ? { logs: route.logs } : {}),
      },
      ...(route.sendsFile ? { compress: false } : {}),
      onRequest: route.streams
        ? entryCheckOf(ctx, route, guards)
        : [ignoreTypeOfNothing, entryCheckOf(ctx, route, guards)],
      ...(isSession ? {} : { preValidation: preparation(route) }),
      handler: isSession ? sessionHandler(ctx, route) : callHandler(ctx, route, guards),
    });
  }
}
