import Type from 'typebox';
import { forTenant } from '../../../db/transaction.ts';
import { route } from '../../../http/routes.ts';
import { countWithin } from '../../../infra/calls/limits.ts';
import { Problem } from '../../../lib/errors.ts';
import { namesOf } from '../../../lib/tables.ts';
import { findNewest, notEarned } from '../../certificates/certificates.ts';
import { acceptedFormat, formats, respondAs } from '../../certificates/formats.ts';
import { Certificate } from '../../certificates/record/schemas.ts';
import { type SessionEnd, sessionEnds } from '../../enrolments/run-time/progress-cache.ts';
import { findOpenSession } from './open-sessions.ts';
import { readReviewSession } from './review-tokens.ts';
import { readSession } from './tokens.ts';

const ended = (end: SessionEnd) => new Problem(end, sessionEnds[end]);

/** The player shows it at the end of a course. Previews have no enrolment, so they have no certificate. */
export const playerCertificateRoute = route('GET /play/{token}/certificate', 'readPlayerCertificate', {
  origin: 'content',
  tag: 'Player',
  access: 'session',
  scope: null,
  summary: 'Read the certificate that the learner has earned',
  description: 'For the player page, which asks for it after the last commit.',
  runTime: { token: 'session', use: 'file' },
  logs: 'failures',
  params: Type.Object({
    token: Type.String({ description: '`Session` from the response that opened the session.' }),
  }),
  responses: {
    200: { description: 'The certificate, in the format of `Accept`.', schema: Certificate, type: formats },
  },
  problems: [...namesOf(sessionEnds), 'certificate_not_found', 'tenant_not_found', 'wrong_host'],
  handle: async (ctx, { params, request }) => {
    const { player, state } = findOpenSession(ctx, params.token);
    if (player.tenantId === null || player.enrollId === null) throw notEarned();
    const isLaunch = readSession(ctx, params.token) !== null;
    if (!isLaunch && !readReviewSession(ctx, params.token)) throw ended('session_ended');
    countWithin(ctx, 'certificates', player.budget);
    const end = (await state()).ended;
    // The page asks after its last commit, which has ended the launch.
    const isOver = isLaunch && (end === 'session_ended' || end === 'session_superseded');
    if (end !== null && !isOver) throw ended(end);
    const owner = forTenant(ctx, player.tenantId);
    const row = await findNewest(owner, player.enrollId);
    return respondAs(owner, row, acceptedFormat(request.headers.accept));
  },
});
