import Type from 'typebox';
import { storageLimits } from '../../../../../standards/storage-limits.ts';
import { constantResponse, readBuilt } from '../../../http/built-files.ts';
import { isNavigation } from '../../../http/problems.ts';
import { route } from '../../../http/routes.ts';
import { countUse, enterPlayer } from '../../../infra/calls/limits.ts';
import type { Context } from '../../../infra/context/context.ts';
import { Problem } from '../../../lib/errors.ts';
import { locations } from '../../../lib/locations.ts';
import { namesOf } from '../../../lib/tables.ts';
import { isRelease } from '../../catalogue/playable.ts';
import { type SessionEnd, sessionEnds } from '../../enrolments/run-time/progress-cache.ts';
import { contentTypeOf, findFile, smallFile } from './course-files.ts';
import { findOpening, findOpenSession } from './open-sessions.ts';
import { oldLink } from './page-texts.ts';
import { clickPreview, openLinkIn } from './preview.ts';
import { previewPlayerOf } from './preview-tokens.ts';
import { missingPage, outdatedPage } from './rejection-page.ts';
import { Commit, PlayerSession, Receipt } from './schemas.ts';
import { bytesOf, sendRemote } from './send-remote.ts';

const pagePolicy =
  "default-src 'self'; img-src 'self' data:; frame-src 'self' https: http:; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors ";

/** Maximum body size of requests that need no body. */
const maxEmptyBody = 1024;
const notStored = { 'Cache-Control': 'no-store' };

function rejectWhenEnded(ended: SessionEnd | null): void {
  if (ended !== null) throw new Problem(ended, sessionEnds[ended]);
}

let page: string | undefined;

/** Returns the built player page. Reads it lazily, so that routes can be described without a build. */
export function playerPage(): string {
  page ??= readBuilt(locations.player, 'index.html');
  return page;
}

const Ticket = Type.Object({
  token: Type.String({ description: 'The ticket from a launch or preview link.' }),
});
const Session = Type.Object({
  token: Type.String({ description: '`Session` from the response that opened the session.' }),
});
const content = { origin: 'content', tag: 'Player', access: 'session', scope: null } as const;
const ends = namesOf(sessionEnds);
/** Errors for content that was changed or deleted while a preview is open. */
const ofPreviews = ['course_not_found', 'release_not_found', 'course_not_playable'] as const;
const html = (description: string) => ({ description, type: 'text/html' });

/** The routes of the content origin: the player page, its sessions, and course files for open sessions. */
export const contentRoutes = [
  route('GET /play/{token}', 'openPlayer', {
    ...content,
    summary: 'Open the player',
    description: 'The page that a launch link redirects to. It opens a session and plays the course.',
    runTime: { token: 'ticket', use: 'page' },
    page: true,
    params: Ticket,
    responses: {
      200: html('The player page.'),
      404: html('A page that says that the link is unknown or has expired.'),
      421: html('A page that says that the link belongs to another host name.'),
    },
    handle: async (ctx, { params, request }) => {
      const opening = findOpening(ctx, params.token);
      if (!opening) return outdatedPage(request);
      return {
        status: 200,
        body: playerPage(),
        headers: {
          'Content-Type': 'text/html; charset=utf-8',
          ...notStored,
          'Content-Security-Policy': pagePolicy + (await opening.framing()),
        },
      };
    },
  }),
  route('GET /preview', 'openPreview', {
    summary: 'Open a preview (the PreviewURL)',
    description: 'Redirects to the player, like a launch link. Nothing is recorded.',
    origin: 'content',
    tag: 'Player',
    access: 'anyone',
    scope: null,
    page: true,
    // Untyped, as in a launch link, because a raw returnURL may contain parameters with the same
    // names.
    query: Type.Object(
      {
        ticket: Type.Optional(Type.Unsafe<unknown>({ description: 'Part of the PreviewURL.' })),
        returnURL: Type.Optional(
          Type.Unsafe<unknown>({ description: 'Where to send the user afterwards, as in a launch link.' }),
        ),
      },
      { additionalProperties: true },
    ),
    responses: {
      303: { description: 'Redirects to the player.' },
      403: html('A page that says that the tenant is suspended.'),
      404: html('A page that says that the link is incomplete or has expired.'),
      421: html('A page that says that the link belongs to another host name.'),
    },
    handle: async (ctx, { request }) => {
      const address = request.raw.url ?? '';
      const link = openLinkIn(ctx, address);
      if (link) enterPlayer(ctx, request, previewPlayerOf(link), 'page');
      return clickPreview(ctx, request);
    },
  }),
  route('POST /play/{token}/session', 'openSession', {
    ...content,
    summary: 'Open a player session',
    description:
      'Counts a launch and returns everything that the page needs to play: the tree of units, the data of each unit, and the session. The problem `launch_refused` also has `Page`, with a `Title`, a `Reason` and a `Link` for the learner, in the language from `Accept-Language`. `Link` is null, or has the `Text` and `URL` of a link to a review or to the course.',
    runTime: { token: 'ticket', use: 'page' },
    bodyLimit: maxEmptyBody,
    params: Ticket,
    // The response is not filtered by a schema, because units can have any name and any data.
    responses: { 201: { description: 'The session.', schema: PlayerSession, type: 'application/json' } },
    problems: [...ends, 'launch_refused', ...ofPreviews, 'tenant_not_found', 'wrong_host'],
    events: ['enrolment.launched'],
    handle: async (ctx, { params, request }) => {
      const opening = findOpening(ctx, params.token);
      if (!opening) throw new Problem('session_ended', oldLink);
      const body = await opening.open(request);
      return {
        status: 201,
        body,
        headers: { ...notStored, 'Content-Type': 'application/json; charset=utf-8' },
      };
    },
  }),
  route('POST /play/{token}/commit', 'commit', {
    ...content,
    summary: 'Save the run-time data of a unit',
    description:
      'The receipt confirms that the commit is in the database. A page that is closing sends the commit as text, with any Content-Type.',
    runTime: { token: 'session', use: 'commit' },
    bodyLimit: storageLimits.commitBytes,
    params: Session,
    body: Commit,
    responses: {
      200: { description: 'The receipt, with the current state of the enrolment.', schema: Receipt },
    },
    problems: [
      'session_ended',
      'session_exited',
      'enrolment_withdrawn',
      'enrolment_erased',
      'user_disabled',
      'results_too_late',
      'commit_number_ahead',
      'commit_base_unknown',
      ...ofPreviews,
      'tenant_suspended',
      'tenant_not_found',
      'wrong_host',
    ],
    events: ['enrolment.progressed', 'enrolment.completed', 'enrolment.passed', 'enrolment.failed'],
    handle: async (ctx, { params, body }) => {
      const session = findOpenSession(ctx, params.token);
      const receipt = await session.commit(body);
      countUse(ctx, session.player.tenantId, 'commits');
      return { status: 200, body: receipt };
    },
  }),
  route('GET /play/{token}/alive', 'keepSessionAlive', {
    ...content,
    summary: 'Report that the page is still open',
    description: 'The player calls this operation once a minute to learn whether its session is still open.',
    runTime: { token: 'session', use: 'heartbeat' },
    params: Session,
    responses: { 204: { description: 'The session is still open.' } },
    problems: [...ends, 'tenant_not_found', 'wrong_host'],
    handle: async (ctx, { params }) => {
      rejectWhenEnded((await findOpenSession(ctx, params.token).keepAlive()).ended);
      return { status: 204, headers: notStored };
    },
  }),
  route('GET /play/{token}/content/*', 'readCourseFile', {
    ...content,
    summary: 'Read a file of the course',
    description: 'Supports the Range header. The case of the path is ignored if only one file matches.',
    runTime: { token: 'session', use: 'file' },
    sendsFile: true,
    logs: 'failures',
    params: Type.Object({
      ...Session.properties,
      '*': Type.String({ description: 'Path of the file in its package; may contain slashes.' }),
    }),
    responses: {
      200: { description: 'The file, with a content type that matches its name.', type: '*/*' },
      206: { description: 'The requested range of the file.', type: '*/*' },
      304: { description: 'The client already has the current file.' },
      404: html('A page for the learner, if a window or frame requested the file.'),
    },
    problems: [...ends, 'not_found', 'tenant_not_found', 'range_not_satisfiable', 'wrong_host'],
    handle: async (ctx, { params, request }, reply) => {
      const { state, player } = findOpenSession(ctx, params.token);
      const { ended, releaseId } = await state();
      rejectWhenEnded(ended);
      const wanted = releaseId === null ? null : { releaseId, path: params['*'] };
      const type = contentTypeOf(params['*']);
      const headers = {
        'Content-Type': type,
        'Accept-Ranges': 'bytes',
        // Sandboxed frames inside courses have no origin. Nobody else knows the file's address.
        'Cross-Origin-Resource-Policy': 'cross-origin',
        // A release's files never change, but a page must not open after access has ended. Not `public`, because a shared
        // cache would serve the others then.
        'Cache-Control': type === 'text/html' ? 'private, no-cache' : 'private, max-age=2592000, immutable',
      };
      // Courses name scripts as they like, for example with the extension of a server-side language.
      const sniffed = () => reply.removeHeader('X-Content-Type-Options');
      const small = wanted && !request.headers.range ? await smallFile(ctx, wanted) : null;
      if (small) {
        sniffed();
        const response = await constantResponse(request, small);
        if (response.body) countUse(ctx, player.tenantId, 'bytes', small.body.length);
        return { ...response, headers: { ...response.headers, ...headers } };
      }
      const file = wanted && (await findFile(ctx, wanted));
      if (wanted && !file) await expectFiles(ctx, wanted);
      if (!file && isNavigation(request)) return missingPage(request);
      if (!file) throw new Problem('not_found', 'The course has no such file.');
      sniffed();
      if (!request.headers['if-none-match'])
        countUse(ctx, player.tenantId, 'bytes', bytesOf(request.headers.range, file.bytes));
      return file.kind === 'local' ? { status: 200, file, headers } : sendRemote(request, file, headers);
    },
  }),
];

/** Reports an existing release whose files are missing, because the operator must restore them. */
async function expectFiles(ctx: Context, { releaseId }: { releaseId: string }): Promise<void> {
  const paths = await ctx.files.paths(releaseId);
  if (paths || !(await isRelease(ctx, { releaseId }))) return;
  ctx.log.error(
    { release_id: releaseId, place: ctx.files.place },
    'the files of a release are missing; restore them from a backup, or import the package again',
  );
  throw new Problem('unavailable', 'The files of this course are currently not available. Try again later.', {
    retryAfter: 60,
  });
}
