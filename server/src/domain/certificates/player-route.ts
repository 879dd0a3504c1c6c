import Type from 'typebox';
import { forTenant } from '../../db/owners.ts';
import { route } from '../../http/routes.ts';
import { namesOf } from '../../lib/tables.ts';
import { findOpenSession } from '../delivery/player/open-sessions.ts';
import { sessionEnds } from '../enrolments/run-time/progress-cache.ts';
import { findNewest, notEarned } from './certificates.ts';
import { acceptedFormat, formats, respondAs } from './formats.ts';
import { Certificate } from './record/schemas.ts';

/** The player shows it at the end of a course. Previews have no enrolment, so they have no certificate. */
export const playerCertificateRoute = route({
  origin: 'content',
  tag: 'Player',
  access: 'session',
  scope: null,
  method: 'GET',
  path: '/play/{token}/certificate',
  name: 'readPlayerCertificate',
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
    const { tenantId, enrollId } = findOpenSession(ctx, params.token).player;
    if (tenantId === null || enrollId === null) throw notEarned();
    const owner = forTenant(ctx, tenantId);
    return respondAs(owner, await findNewest(owner, enrollId), acceptedFormat(request.headers.accept));
  },
});
