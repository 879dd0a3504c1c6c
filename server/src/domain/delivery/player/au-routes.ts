import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { launchModes } from '../../../../../standards/cmi5/vocabulary.ts';
import type { Evidence } from '../../../../../standards/types.ts';
import { forTenant } from '../../../db/transaction.ts';
import { route } from '../../../http/routes.ts';
import { Fields, Nullable, OneOf } from '../../../http/validation/schema.ts';
import { Problem } from '../../../lib/errors.ts';
import { namesOf } from '../../../lib/tables.ts';
import { sessionEnds } from '../../enrolments/run-time/progress-cache.ts';
import { fetchToken, readAuToken } from '../protocols/cmi5/fetch-token.ts';
import { findOpenSession } from './open-sessions.ts';
import { languageOf, oldLink, textsIn } from './page-texts.ts';
import { outdatedPage, rejectionPage } from './rejection-page.ts';
import { Receipt } from './schemas.ts';

const AuOpening = Fields(
  {
    UnitID: Type.String({ minLength: 1, maxLength: 4096 }),
    LaunchMode: Type.Optional(
      OneOf(launchModes, {
        title: 'LaunchMode',
        description: 'By default `Review` if the unit is completed and passed, `Normal` otherwise.',
      }),
    ),
  },
  { title: 'AuOpening' },
);

const OpenedUnit = Fields(
  {
    SessionID: Type.String({ format: 'uuid' }),
    URL: Type.String({ description: "The unit's page with its launch parameters." }),
    OwnWindow: Type.Boolean({ description: 'true if the unit must be opened in its own window.' }),
    LaunchMode: OneOf(launchModes, { title: 'LaunchMode' }),
  },
  { title: 'OpenedUnit' },
);

const Results = Fields(
  {
    Receipt,
    Evidence: Type.Unsafe<Record<string, Evidence>>({
      type: 'object',
      additionalProperties: true,
      description: 'The recorded results of each unit, by UnitID.',
    }),
    Refused: Nullable(
      Fields(
        { UnitID: Type.String(), Code: Type.String({ description: 'The error code.' }) },
        { description: 'The latest report of this launch that was refused.' },
      ),
    ),
  },
  { title: 'Results' },
);

const AuToken = Fields(
  {
    'auth-token': Type.Optional(Type.String({ description: 'For HTTP Basic authentication at the LRS.' })),
    'error-code': Type.Optional(
      OneOf(['1', '2'], {
        description: '1: the token was already used, or the session has ended. 2: no access.',
      }),
    ),
    'error-text': Type.Optional(Type.String()),
  },
  { title: 'AuToken' },
);

const content = { origin: 'content', tag: 'Player', access: 'session', scope: null } as const;
const Session = Type.Object({
  token: Type.String({ description: '`Session` from the response that opened the session.' }),
});
const ends = namesOf(sessionEnds);
const sessionProblems = [...ends, 'tenant_not_found', 'wrong_host'] as const;
const notStored = { 'Cache-Control': 'no-store' };

/** Any origin is allowed, because AUs run on other origins and send no cookies. */
const anyOrigin = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' };

/** The routes of units that report directly to the service. */
export const auRoutes = [
  route('POST /play/{token}/au', 'openUnit', {
    ...content,
    summary: 'Open a session for a unit that reports directly to the service',
    description: 'For cmi5, xAPI and AICC units. The open session of the enrolment is abandoned.',
    runTime: { token: 'session', use: 'heartbeat' },
    params: Session,
    body: AuOpening,
    responses: { 201: { description: 'The session.', schema: OpenedUnit } },
    problems: [...sessionProblems, 'enrolment_erased', 'course_not_playable'],
    events: ['enrolment.progressed'],
    handle: async (ctx, { params, body }) => ({
      status: 201,
      body: await findOpenSession(ctx, params.token).openAu(body),
      headers: notStored,
    }),
  }),
  route('GET /play/{token}/results', 'readSessionResults', {
    ...content,
    summary: 'Read the current results',
    description: 'For units that report directly to the service and bypass the page.',
    runTime: { token: 'session', use: 'heartbeat' },
    params: Session,
    responses: { 200: { description: 'The results.', schema: Results } },
    problems: [...sessionProblems, 'enrolment_not_found', 'course_not_playable'],
    handle: async (ctx, { params }) => ({
      status: 200,
      body: await findOpenSession(ctx, params.token).results(),
      headers: notStored,
    }),
  }),
  route('POST /play/{token}/fetch', 'fetchToken', {
    ...content,
    summary: 'Get the LRS token of an AU (the cmi5 fetch URL)',
    description: 'Returns the token only once. Requests from any origin are allowed.',
    runTime: { token: 'session', use: 'heartbeat' },
    bodyLimit: 1024,
    params: Session,
    responses: {
      200: {
        description: 'The token, or an error as cmi5 defines it.',
        schema: AuToken,
        example: { 'auth-token': 'YXU6c2VjcmV0' },
      },
    },
    problems: sessionProblems,
    events: [],
    handle: async (ctx, { params }) => {
      const handle = readAuToken(ctx, params.token);
      if (handle?.use !== 'fetch') throw new Problem('session_ended', oldLink);
      const body = await fetchToken(forTenant(ctx, handle.tenantId), handle);
      return { status: 200, body, headers: { ...notStored, ...anyOrigin } };
    },
  }),
  route('GET /play/{token}/returned', 'returnFromUnit', {
    ...content,
    summary: 'Return from a unit (the cmi5 returnURL)',
    description: 'The player replaces this page. If the unit is in its own window, the learner can close it.',
    runTime: { token: 'session', use: 'file' },
    page: true,
    params: Session,
    responses: {
      200: { description: 'A page that says that the learner has left the unit.', type: 'text/html' },
      404: { description: 'A page that says that the link has expired.', type: 'text/html' },
    },
    problems: ['session_ended'],
    handle: async (ctx, { params, request }) => {
      const handle = readAuToken(ctx, params.token);
      if (!handle) return outdatedPage(request);
      const language = languageOf(request);
      return rejectionPage({ status: 200, language, ...textsIn(language).pages.leftUnit, framing: '*' });
    },
  }),
];

/** Answers preflight requests. Browsers send one if an AU sets a content type when it requests the token. */
export function allowFetchFromAnywhere(app: FastifyInstance): void {
  const headers = {
    ...anyOrigin,
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': 'Content-Type',
    'Access-Control-Max-Age': '600',
  };
  app.options('/play/:token/fetch', async (_request, reply) => reply.code(204).headers(headers).send());
}
