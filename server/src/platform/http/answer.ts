import type { FastifyReply, FastifyRequest } from 'fastify';
import { actorOf } from '../actor.ts';
import type { Context } from '../context.ts';
import { exportPages, listOf } from '../export.ts';
import { answerOnce, loginIdIn, readIdempotencyKey } from '../idempotency.ts';
import { admitExport, readInTurn, readPage, sendInTurn } from '../list-reads.ts';
import type { Inside } from '../once.ts';
import type { Answer, Route } from '../routes.ts';
import { acceptedRows } from '../rows.ts';
import type { Guards } from './guards.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

const fileOptions = { contentType: false, dotfiles: 'allow', index: false, cacheControl: false } as const;

function send(reply: FastifyReply, { status, body, headers, file }: Answer): unknown {
  if (headers) void reply.headers(headers);
  if (file) return reply.sendFile(file.path, file.folder, fileOptions);
  void reply.code(status);
  return body === undefined ? reply.send() : body;
}

/** Responds to the player page, which acts for the service: its ticket or session says on whose behalf. */
export function sessionHandler(ctx: Context, route: Route): Handler {
  return async (request, reply) => {
    const { params, query, body } = request;
    const input = { params, query, body, request, prepared: undefined };
    return send(reply, await route.handle(ctx, input as never, reply));
  };
}

/** Responds to API callers: once per Idempotency-Key, lists and reports in turn, also as rows. */
export function callHandler(ctx: Context, route: Route, guards: Guards): Handler {
  const list = listOf(route);
  const keyed = route.method === 'POST' && route.access !== 'anyone' && !route.streams;
  return async (request, reply) => {
    const { params, query, body, tenantId } = request;
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
    const actInTurn = (more?: object) => readInTurn(ctx, request, () => act(more));
    const readList = async () => {
      const rows = request.method === 'GET' ? acceptedRows(request.headers.accept) : null;
      if (!list || !rows) return readPage(query as { Limit: number; Cursor?: string }, actInTurn);
      admitExport(ctx, request);
      return exportPages(list, rows, (page) => readPage(page, actInTurn));
    };
    const key = keyed ? readIdempotencyKey(request) : null;
    const shares = route.coalesced ? route.name : null;
    const actOnce = () => (key === null ? act() : answerOnce(ctx, request, reply, key, { prepare, shares }));
    if (list && key === null) return send(reply, await readList());
    if (route.whole) admitExport(ctx, request);
    const answer = await (route.heavy || route.whole ? readInTurn(ctx, request, actOnce) : actOnce());
    return send(reply, route.whole ? { ...answer, body: sendInTurn(ctx, request, partsOf(answer)) } : answer);
  };
}

/** See `whole`. */
const partsOf = ({ body }: Answer) => body as AsyncGenerator<string>;
