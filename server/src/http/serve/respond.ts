import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { forTenant } from '../../db/owners.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { perform, type Work } from '../../infra/retries/once.ts';
import { loginIdIn, readIdempotencyKey, respondOnce } from '../idempotency.ts';
import type { Route, RouteResponse } from '../routes.ts';
import { exportPages, listOf } from '../rows/export.ts';
import { acceptedRows } from '../rows/rows.ts';
import { actorOf, type Guards } from './guards.ts';
import { readPage } from './read-page.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

const fileOptions = { contentType: false, dotfiles: 'allow', index: false, cacheControl: false } as const;

function send(reply: FastifyReply, { status, body, headers, file }: RouteResponse): unknown {
  if (headers) void reply.headers(headers);
  if (file) return reply.sendFile(file.path, file.folder, fileOptions);
  void reply.code(status);
  return body === undefined ? reply.send() : body;
}

/** Responds to the player page, whose ticket or session identifies the learner. */
export function sessionHandler(ctx: Context, route: Route): Handler {
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
  const { request } = call;
  const read = (more?: object) => act(call, more);
  const rows = request.method === 'GET' ? acceptedRows(request.headers.accept) : null;
  if (!rows) return readPage(request.query as { Limit: number; Cursor?: string }, read);
  return exportPages(list, rows, (page) => readPage(page, read));
}

/** Calls the handler until it has done all of its work, each time in a transaction of its own. */
async function workInParts(work: (turn: number) => Promise<RouteResponse>): Promise<RouteResponse> {
  for (let turn = 0; ; turn++) {
    const answer = await work(turn);
    if (!answer.isPartial) return answer;
  }
}

/**
 * Responds to API callers. Runs once per Idempotency-Key, and sends rows if the caller requests them.
 */
export function callHandler(ctx: Context, route: Route, guards: Guards): Handler {
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
