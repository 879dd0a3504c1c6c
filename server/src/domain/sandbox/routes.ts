import Type from 'typebox';
import { ok, route } from '../../http/routes.ts';
import { Text } from '../../http/validation/schema.ts';
import { namesOf } from '../../lib/tables.ts';
import { Enrolment } from '../enrolments/record/schemas.ts';
import { sessionEnds } from '../enrolments/run-time/progress-cache.ts';
import { obligationEvents } from '../requirements/events.ts';
import { moveClock, readClock, runDueJobs } from './move-clock.ts';
import { playCourse } from './play-course.ts';
import { Clock, ClockMove, Play } from './schemas.ts';

const common = { tag: 'Test tenants', access: 'tenant' } as const;

export const sandboxRoutes = [
  route('GET /test/clock', 'readClock', {
    ...common,
    summary: 'Read the clock of a test tenant',
    description: "The tenant's enrolments, events and reports use this time.",
    scope: 'enrolments:read',
    responses: { 200: { description: "The tenant's time.", schema: Clock } },
    problems: ['not_a_test_tenant'],
    handle: async (ctx) => ok(await readClock(ctx)),
  }),
  route('POST /test/clock', 'moveClock', {
    ...common,
    summary: 'Move the clock of a test tenant forward',
    description:
      'The clock cannot be moved back. The response is sent once all nodes use the new time, the first 200 due enrolments have expired, the first 500 due reminders have been queued and the due reports have run. The others follow in the background.',
    scope: 'enrolments:write',
    body: ClockMove,
    responses: { 200: { description: "The tenant's new time.", schema: Clock } },
    problems: ['not_a_test_tenant'],
    events: ['enrolment.ending', 'report.ready', ...obligationEvents],
    audits: ['tenant.clock_moved'],
    handle: async (ctx, { body }) => ok(await moveClock(ctx, body)),
    afterwards: runDueJobs,
  }),
  route('POST /test/play/{EnrollID}', 'playCourse', {
    ...common,
    summary: 'Let a robot play a course in a test tenant',
    description:
      'The robot launches the course, reports the result of each unit as its content would, and leaves. A cmi5 AU does not repeat `completed` or `passed`, and does not report `failed` after `passed`. Once it is completed and passed, it is opened in the launch mode `Review` and reports nothing. If a course has more than 30 units, a call plays the 30 that were never or least recently played; repeat it to play the next ones. For cmi5, xAPI and AICC, wait a minute in between. For a path, the robot plays each course that is due. If the service fails during a play, a retry with the same `Idempotency-Key` plays the course again.',
    example: ['Score'],
    scope: 'enrolments:write',
    additionalScopes: ['enrolments:launch'],
    params: Type.Object({ EnrollID: Text(255) }),
    body: Play,
    responses: { 200: { description: 'The enrolment with its result.', schema: Enrolment } },
    problems: [
      'not_a_test_tenant',
      'enrolment_not_found',
      'launch_refused',
      'course_not_playable',
      'too_many_requests',
      'storage_limit',
      'enrolment_erased',
      ...namesOf(sessionEnds),
    ],
    events: [
      'enrolment.created',
      'enrolment.launched',
      'enrolment.progressed',
      'enrolment.completed',
      'enrolment.passed',
      'enrolment.failed',
      'enrolment.attempt_finished',
    ],
    audits: [],
    // Not run in the Idempotency-Key's transaction, which would lock the tenant's logs for too long.
    prepare: (ctx, { params, body }) => playCourse(ctx, { ...body, enrollId: params.EnrollID }),
    handle: async (_, { prepared }) => ok(prepared),
  }),
];
