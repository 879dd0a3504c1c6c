import { existsSync } from 'node:fs';
import { constants } from 'node:zlib';
import fastifyCompress from '@fastify/compress';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { admitAnonymous, admitPlayer, type Player, type RunTimeUse } from '../../platform/admission.ts';
import { assetRoute, readBuilt } from '../../platform/built-files.ts';
import { remember } from '../../platform/cache.ts';
import type { Context } from '../../platform/context.ts';
import { refuseLargeBody } from '../../platform/entry.ts';
import { Problem } from '../../platform/errors.ts';
import { checkShape, type JsonShape } from '../../platform/json-shape.ts';
import { places } from '../../platform/places.ts';
import type { Answer } from '../../platform/routes.ts';
import { declaredBytes } from '../../platform/uploads.ts';
import { isRelease } from '../catalogue/playable.ts';
import type { LaunchStanding } from '../enrolments/launches.ts';
import { type SessionEnd, sessionEnds } from '../enrolments/session-end.ts';
import { refuseSuspended } from '../tenants/suspension.ts';
import { compressCourseFile } from './compress-files.ts';
import { refuseOtherHosts } from './content-hosts.ts';
import { contentTypeOf, locateFile } from './course-files.ts';
import { clickPreview } from './preview.ts';
import { refusal } from './refusal-page.ts';
import { Commit, mostElements } from './schemas.ts';
import { openingOf, sittingOf } from './sittings.ts';

const pagePolicy =
  "default-src 'self'; img-src 'self' data:; frame-src 'self' https: http:; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors ";

/** Courses show videos of players that want to know the page's origin, and save in unload handlers, which browsers are about to switch off. */
export const contentHeaders = {
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // Courses of one domain cannot give up their origins to each other by document.domain.
  'Origin-Agent-Cluster': '?1',
  'Permissions-Policy': 'unload=*',
};

const oldLink = 'This page was opened too long ago. Open the course again from where you found it.';

/**
 * Commits hold a whole unit: 64 kB of suspend data in any script, beside interactions and an activity tree. Not more
 * than what nginx lets through by default; the page refuses larger ones itself (`largestCommit` in `player`).
 */
const commitBytes = 1024 * 1024;
const commitShape: JsonShape = { depth: 3, values: mostElements + 100 };
/** Of a request that needs no body. */
const noBytes = 1024;

/** The release that a session plays, and whether it may still ask for its files. */
const liveRelease = remember<LaunchStanding>({
  milliseconds: 10_000,
  most: 20_000,
  load: async (ctx, token) => sittingOf(ctx, token).standing(),
});

function refuseWhenEnded(ended: SessionEnd | null): void {
  if (ended !== null) throw new Problem(ended, sessionEnds[ended]);
}

type TokenParams = { Params: { token: string } };

type WithToken = FastifyRequest<TokenParams>;

/** Reads the ticket in the path before anything else; without a valid one the request is of somebody we do not know. */
function byTicket(ctx: Context) {
  return async (request: WithToken) => {
    const { token } = request.params;
    const opening = openingOf(ctx, token);
    if (!opening) admitAnonymous(ctx, request);
    if (!opening && request.method === 'POST') throw new Problem('session_ended', oldLink);
    refuseLargeBody(request);
    if (opening) admitPlayer(ctx, request, opening.player, 'page');
  };
}

/** A signed link does not suffer for what strangers at the same address do. */
function byPreviewLink(ctx: Context) {
  return async (request: FastifyRequest) => {
    const link = openLinkIn(ctx, request.raw.url ?? '');
    if (link) admitPlayer(ctx, request, previewPlayerOf(link), 'page');
    else admitAnonymous(ctx, request);
  };
}

function playerIn(ctx: Context, request: WithToken): Player {
  try {
    return sittingOf(ctx, request.params.token).player;
  } catch (error) {
    admitAnonymous(ctx, request);
    throw error;
  }
}

/** Reads the session in the path before anything else. */
function bySession(ctx: Context, use: RunTimeUse | 'commit') {
  return async (request: WithToken) => {
    const player = playerIn(ctx, request);
    refuseLargeBody(request);
    // Without a length it may be as long as any.
    admitPlayer(
      ctx,
      request,
      player,
      use === 'commit' ? { bytes: declaredBytes(request) || commitBytes } : use,
    );
    // Asked apart from what is remembered of the session, which is for longer. A page keeps what it has to send.
    await refuseSuspended(ctx, player.tenantId);
  };
}

/** What the content origin serves: the player page, its sessions and the course files of live ones. */
export async function contentRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    const text = body.toString();
    checkShape(text, commitShape);
    parse(request, text, done);
  });
  await app.register(fastifyStatic, { root: ctx.files.folder('.'), serve: false });
  await app.register(fastifyCompress, {
    globalDecompression: false,
    encodings: ['br', 'gzip'],
    threshold: 1024,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  });
  refuseOtherHosts(app, ctx);
  app.addHook('onRequest', (request, _reply, done) => {
    // Compressing a part of a file would make the range a lie.
    if (request.headers.range) request.headers['x-no-compression'] = 'true';
    done();
  });
  pageRoutes(app, ctx);
  sessionRoutes(app, ctx);
  fileRoute(app, ctx);
}

function outOfDate(): Answer {
  return refusal({ status: 404, title: 'This page is out of date', reason: oldLink, framing: '*' });
}

function sendAnswer(reply: FastifyReply, { status, body, headers }: Answer): FastifyReply {
  return reply
    .code(status)
    .headers(headers ?? {})
    .send(body);
}

function pageRoutes(app: FastifyInstance, ctx: Context): void {
  const page = readBuilt(places.player, 'index.html');
  app.get<TokenParams>(
    '/play/:token',
    { onRequest: byTicket(ctx), config: { page: true, admits: 'itself' } },
    async (request, reply) => {
      const opening = openingOf(ctx, request.params.token);
      if (!opening) return sendAnswer(reply, outOfDate());
      return reply
        .type('text/html; charset=utf-8')
        .header('Cache-Control', 'no-store')
        .header('Content-Security-Policy', pagePolicy + (await opening.framing()))
        .send(page);
    },
  );
  app.get(
    '/preview',
    { onRequest: byPreviewLink(ctx), config: { page: true, admits: 'itself' } },
    async (request, reply) => sendAnswer(reply, await clickPreview(ctx, request.raw.url ?? '')),
  );
  assetRoute(app, '/player', places.player);
}

function sessionRoutes(app: FastifyInstance, ctx: Context): void {
  const opens = { onRequest: byTicket(ctx), bodyLimit: noBytes, config: { admits: 'itself' } } as const;
  app.post<TokenParams>('/play/:token/session', opens, async (request, reply) => {
    const opening = openingOf(ctx, request.params.token);
    if (!opening) throw new Problem('session_ended', oldLink);
    const session = await opening.open(request.headers['user-agent'] ?? null);
    return reply.code(201).header('Cache-Control', 'no-store').send(session);
  });
  app.post<TokenParams & { Body: Commit }>(
    '/play/:token/commit',
    {
      schema: { body: Commit },
      bodyLimit: commitBytes,
      onRequest: bySession(ctx, 'commit'),
      config: { admits: 'itself' },
    },
    async (request) => {
      const sitting = sittingOf(ctx, request.params.token);
      if (request.body.Exit) liveRelease.forget(ctx, request.params.token);
      return sitting.commit(request.body);
    },
  );
  app.get<TokenParams>(
    '/play/:token/alive',
    { onRequest: bySession(ctx, 'alive'), config: { admits: 'itself' } },
    async (request, reply) => {
      refuseWhenEnded((await sittingOf(ctx, request.params.token).keepAlive()).ended);
      return reply.code(204).header('Cache-Control', 'no-store').send();
    },
  );
}

function fileRoute(app: FastifyInstance, ctx: Context): void {
  type FileParams = { Params: { token: string; '*': string } };
  const sitting = {
    onRequest: bySession(ctx, 'file'),
    onSend: compressCourseFile(ctx),
    compress: false,
    config: { admits: 'itself' },
  } as const;
  app.get<FileParams>('/play/:token/content/*', sitting, async (request, reply) => {
    const { ended, releaseId } = await liveRelease.get(ctx, request.params.token);
    refuseWhenEnded(ended);
    const folder = releaseId === null ? null : ctx.files.folder(releaseId);
    const { player } = sittingOf(ctx, request.params.token);
    const path = folder && (await locateFile(ctx, { player, folder, path: request.params['*'] }));
    if (releaseId && folder && !path) await expectFolder(ctx, { folder, releaseId });
    if (!folder || !path) throw new Problem('not_found', 'The course has no such file.');
    return sendFile(reply, folder, path);
  });
}

/** A release without its folder is the operator's trouble, not a wrong address; one that was deleted has none. */
async function expectFolder(
  ctx: Context,
  { folder, releaseId }: { folder: string; releaseId: string },
): Promise<void> {
  if (existsSync(folder) || !(await isRelease(ctx, { releaseId }))) return;
  ctx.log.error({ folder }, 'the folder of a release is missing; restore it, or import the package again');
  throw new Problem(
    'unavailable',
    'The files of this course cannot be reached at the moment. Try again later.',
    {
      retryAfter: 60,
    },
  );
}

function sendFile(reply: FastifyReply, folder: string, path: string): FastifyReply {
  // Not public: a shared cache would serve files after access has ended.
  void reply.type(contentTypeOf(path)).header('Cache-Control', 'private, max-age=3600');
  return reply.sendFile(path, folder, {
    contentType: false,
    dotfiles: 'allow',
    index: false,
    cacheControl: false,
  });
}
