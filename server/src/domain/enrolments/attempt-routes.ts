import Type from 'typebox';
import { PageOf, pageQuery } from '../../http/pagination.ts';
import { ok, route } from '../../http/routes.ts';
import { Fields } from '../../http/validation/schema.ts';
import { LoginID } from '../users/schemas.ts';
import { Attempt, ResetRequest } from './history/attempt-schemas.ts';
import { listAttempts } from './history/attempts.ts';
import { EnrollID, Enrolment } from './record/schemas.ts';
import { resetEnrolment } from './run-time/attempts.ts';

const params = Type.Object({ LoginID, EnrollID });

export const attemptRoutes = [
  route({
    method: 'GET',
    path: '/enrolment/{LoginID}/{EnrollID}/attempt',
    name: 'listAttempts',
    summary: "List an enrolment's attempts",
    description:
      'Lists every attempt with its own result, whether or not the attempt counts. To read the data that the course recorded in an attempt, use `/activity?Attempt=`.',
    tag: 'Enrolments',
    access: 'tenant',
    scope: 'enrolments:read',
    allowsLearners: true,
    params,
    query: Fields(pageQuery),
    responses: { 200: { description: 'Attempts, the current one last.', schema: PageOf(Attempt) } },
    problems: ['enrolment_not_found'],
    handle: async (ctx, { params, query }) =>
      ok(await listAttempts(ctx, { ...query, loginId: params.LoginID, enrollId: params.EnrollID })),
  }),
  route({
    method: 'POST',
    path: '/enrolment/{LoginID}/{EnrollID}/reset',
    name: 'resetEnrolment',
    summary: 'Reset an enrolment',
    description:
      'The learner starts over: the next launch starts a new attempt on the current release, and the limit applies to attempts from then on. Earlier attempts remain available but no longer count. An override is kept. If nothing has been recorded since the last reset, nothing changes.',
    tag: 'Enrolments',
    access: 'tenant',
    scope: 'enrolments:write',
    params,
    body: ResetRequest,
    responses: { 200: { description: 'The enrolment without a result.', schema: Enrolment } },
    problems: ['enrolment_not_found', 'not_resettable'],
    events: ['enrolment.reset'],
    audits: ['enrolment.reset'],
    handle: async (ctx, { params, body }) =>
      ok(await resetEnrolment(ctx, { ...body, loginId: params.LoginID, enrollId: params.EnrollID })),
  }),
];
