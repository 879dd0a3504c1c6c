import Type from 'typebox';
import { CountedPageOf, countQuery, orderQuery, PageOf, pageQuery } from '../../http/pagination.ts';
import { created, ok, path, route } from '../../http/routes.ts';
import { bulkQuery, bulkResponse, bulkStreams } from '../../http/rows/bulk.ts';
import { Fields, Nullable, OneOf } from '../../http/validation/schema.ts';
import { dryRun } from '../../infra/calls/dry-run.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { makeCurrent } from '../catalogue/releases.ts';
import { Course, CourseID, DurationID, ReleaseChange, ReleaseNumber } from '../catalogue/schemas.ts';
import { LoginID } from '../users/schemas.ts';
import { createUsersInBulk, enrolInBulk } from './bulk.ts';
import { type Enrolled, enrolling, enrolProblems, readOffer } from './enrol.ts';
import { readActivity } from './history/activity.ts';
import { CourseInteraction, CourseQuestions, UnitActivity } from './history/activity-schemas.ts';
import { Attempt, ResetRequest } from './history/attempt-schemas.ts';
import { listAttempts } from './history/attempts.ts';
import { listCourseInteractions, readCourseQuestions } from './history/course-questions.ts';
import { explainEnrolment, type Paths } from './history/explain-enrolment.ts';
import { readTimeline } from './history/timeline.ts';
import { listEnrolments, listEnrolmentsOfUser, readEnrolment } from './list.ts';
import { planRelease, ReleaseEffect } from './plan-release.ts';
import { enrolmentOrders, filterQuery } from './record/list-filter.ts';
import {
  EnrollID,
  Enrolment,
  EnrolmentChange,
  EnrolRequest,
  Explanation,
  ListedEnrolment,
  TimelineEntry,
} from './record/schemas.ts';
import { resetEnrolment } from './run-time/attempts.ts';
import { updateEnrolment } from './update.ts';

const params = Type.Object({ LoginID, EnrollID });
const reading = { tag: 'Enrolments', access: 'tenant', scope: 'enrolments:read' } as const;
const writing = { tag: 'Enrolments', access: 'tenant', scope: 'enrolments:write' } as const;

const activityRoutes = [
  route('GET /enrolment/{LoginID}/{EnrollID}/activity', 'readActivity', {
    ...reading,
    summary: 'Read the data that a course recorded for an enrolment',
    description:
      'Lists the units that the learner opened, with their results, objectives and interactions: the questions asked, the answers given, and the time taken. Earlier attempts remain available.',
    allowsLearners: true,
    params: Type.Object({ LoginID, EnrollID }),
    query: Fields({
      ...pageQuery,
      Attempt: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 2_147_483_647,
          description: 'Number of the attempt. Default: the current one.',
        }),
      ),
    }),
    responses: { 200: { description: 'A page of units, ordered by UnitID.', schema: PageOf(UnitActivity) } },
    problems: ['enrolment_not_found'],
    handle: async (ctx, { params, query }) =>
      ok(await readActivity(ctx, { ...query, loginId: params.LoginID, enrollId: params.EnrollID })),
  }),
  route('GET /enrolment/course/{CourseID}/interaction', 'listCourseInteractions', {
    ...reading,
    summary: "List a course's interactions",
    description:
      "Lists the answers that the tenant's learners gave to each question in a course, in the current and earlier attempts. Send `Accept: text/csv` for a table. A page may have fewer rows than `Limit`: continue while there is a NextCursor.",
    params: Type.Object({ CourseID }),
    query: Fields(pageQuery),
    responses: { 200: { description: 'A page of interactions.', schema: PageOf(CourseInteraction) } },
    handle: async (ctx, { params, query }) =>
      ok(await listCourseInteractions(ctx, { ...query, courseId: params.CourseID })),
  }),
  route('GET /enrolment/course/{CourseID}/question', 'readCourseQuestions', {
    ...reading,
    summary: "Count the answers to a course's questions",
    description:
      'For each question, returns how many learners gave each answer, how many answers were correct, and how long the answers took. In each attempt, only the last answer to a question counts. A response covers up to 50 enrolments. While there is a NextCursor, send it with the next request, and add up the numbers from all responses.',
    params: Type.Object({ CourseID }),
    query: Fields({ Cursor: pageQuery.Cursor }),
    responses: { 200: { description: 'The questions and their answers.', schema: CourseQuestions } },
    handle: async (ctx, { params, query }) =>
      ok(await readCourseQuestions(ctx, { ...query, courseId: params.CourseID })),
  }),
];

const attemptRoutes = [
  route('GET /enrolment/{LoginID}/{EnrollID}/attempt', 'listAttempts', {
    ...reading,
    summary: "List an enrolment's attempts",
    description:
      'Lists every attempt with its own result, whether or not the attempt counts. To read the data that the course recorded in an attempt, use `/activity?Attempt=`.',
    allowsLearners: true,
    params,
    query: Fields(pageQuery),
    responses: { 200: { description: 'Attempts, the current one last.', schema: PageOf(Attempt) } },
    problems: ['enrolment_not_found'],
    handle: async (ctx, { params, query }) =>
      ok(await listAttempts(ctx, { ...query, loginId: params.LoginID, enrollId: params.EnrollID })),
  }),
  route('POST /enrolment/{LoginID}/{EnrollID}/reset', 'resetEnrolment', {
    summary: 'Reset an enrolment',
    description:
      'The learner starts over: the next launch starts a new attempt on the current release, and the limit applies to attempts from then on. Earlier attempts remain available but no longer count. An override is kept. If nothing has been recorded since the last reset, nothing changes.',
    ...writing,
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

const bulkEnrolRoutes = [
  route('POST /user/bulk', 'createUsers', {
    summary: 'Create many users, and enrol them',
    description:
      'Each row is processed like a call to `POST /user` and, if it has a CourseID, then like a call to `POST /enrol/{LoginID}/{CourseID}`, which needs the scope `enrolments:write`. To enrol a user on several courses, send several rows. They must not contradict one another, because rows are processed in groups of 200: all users first, then their enrolments. If the user is rejected, the enrolment is not attempted; if the enrolment is rejected, the user is kept. Rows are independent: a rejected row does not affect the others.',
    tag: 'Users',
    access: 'tenant',
    scope: 'users:write',
    query: bulkQuery,
    streams: bulkStreams(
      'those of POST /user, and optionally CourseID, DurationID and the fields of the body of POST /enrol/{LoginID}/{CourseID}; in CSV, each member of Metadata is a column, such as Metadata.colour',
      { LoginID: 'grace', FirstName: 'Grace' },
    ),
    responses: {
      200: {
        ...bulkResponse,
        description: `${bulkResponse.description} If the row has a CourseID and its user was accepted, \`Enrolment\` has the same fields for the enrolment: its own \`Status\`, and either its IDs or \`code\` and \`detail\`. In CSV, these are columns such as \`Enrolment.Status\`; they are missing if the rows were sent as CSV without CourseID. A plan covers 200 rows at a time, so a new user in several rows can be reported as created more than once.`,
      },
    },
    events: [
      ...['user.created', 'user.updated', 'user.disabled'],
      ...['enrolment.created', 'enrolment.expired', 'enrolment.extended', 'enrolment.renewed'],
    ],
    audits: ['administrator.created', 'user.access_changed'],
    handle: (ctx, { query, request }, reply) =>
      createUsersInBulk(ctx, { request, reply, body: request.body, plan: query.Plan ?? false }),
  }),
  route('POST /enrol/bulk', 'enrolMany', {
    summary: 'Enrol many users',
    description:
      'Each row is processed like a call to `POST /enrol/{LoginID}/{CourseID}`. Rows are independent: a rejected row does not affect the others.',
    ...writing,
    query: bulkQuery,
    streams: bulkStreams(
      'LoginID, CourseID, DurationID (optional) and the fields of the body of POST /enrol/{LoginID}/{CourseID}; in CSV, each member of Metadata is a column, such as Metadata.colour',
      { LoginID: 'ada', CourseID: 'fire-safety', DurationID: '30-days' },
    ),
    responses: { 200: bulkResponse },
    events: ['enrolment.created', 'enrolment.expired', 'enrolment.extended', 'enrolment.renewed'],
    handle: (ctx, { query, request }, reply) =>
      enrolInBulk(ctx, { request, reply, body: request.body, plan: query.Plan ?? false }),
  }),
];

export const releaseRoutes = [
  route('PUT /course/{CourseID}/release/{Release}', 'putRelease', {
    tag: 'Authoring',
    access: 'operator',
    summary: 'Set a release as current',
    description:
      'Switches to an earlier or later release. Learners who have already started stay on their release. With `Plan=true`, you first see how many learners this affects.',
    scope: 'catalogue:write',
    params: Type.Object({ CourseID, Release: ReleaseNumber }),
    query: Fields({
      Plan: Type.Optional(
        Type.Boolean({
          description:
            'If true, returns the release as it would be, with the number of learners affected, and changes nothing.',
        }),
      ),
    }),
    body: ReleaseChange,
    responses: { 200: { description: 'The release, which is now current.', schema: ReleaseEffect } },
    problems: ['course_not_found', 'release_not_found'],
    events: ['course.released'],
    audits: ['release.made_current'],
    handle: async (ctx, { params, query }) => {
      const input = { courseId: params.CourseID, release: params.Release };
      if (query.Plan) return ok(await planRelease(ctx, input));
      return ok({ ...(await makeCurrent(ctx, input)), Affected: null });
    },
  }),
];

/** A file with everybody's links lets its holder start every course, so lists have them only on request. */
const linkQuery = {
  Include: Type.Optional(
    OneOf(['LaunchURL'], {
      description:
        'LaunchURL: the list contains the launch links, which are null otherwise. Requires the scope enrolments:launch as well.',
    }),
  ),
};

const enrolment = {
  ...writing,
  body: EnrolRequest,
  responses: {
    201: { description: 'Enrolled.', schema: Enrolment },
    200: {
      description:
        'The user is already enrolled. The response is the current enrolment, extended if requested.',
      schema: Enrolment,
    },
  },
  events: ['enrolment.created', 'enrolment.extended', 'enrolment.renewed', 'enrolment.expired'],
} as const;

const respond = ({ enrolment, isNew }: Enrolled) =>
  isNew ? created(enrolment, path`/enrolment/${enrolment.LoginID}/${enrolment.EnrollID}`) : ok(enrolment);

export const enrolmentRoutes = (paths: Paths) => [
  ...ownRoutes(paths),
  ...activityRoutes,
  ...attemptRoutes,
  ...bulkEnrolRoutes,
];

const ownRoutes = (paths: Paths) => [
  route('POST /enrol/{LoginID}/{CourseID}/{DurationID}', 'enrolWithOption', {
    ...enrolment,
    summary: 'Enrol a user with a given enrolment option',
    description:
      'Use this form when the course has several enrolment options. `IfEnrolled` decides what happens if the user is already enrolled; by default the current enrolment is returned.',
    example: ['Reference'],
    problems: [...enrolProblems, 'option_not_found'],
    params: Type.Object({ LoginID, CourseID, DurationID }),
    submission: async (ctx, { params, body }) => {
      const { LoginID: loginId, CourseID: courseId, DurationID: durationId } = params;
      return enrolling(ctx, { ...body, loginId, courseId, durationId }, respond);
    },
  }),
  route('POST /enrol/{LoginID}/{CourseID}', 'enrol', {
    ...enrolment,
    summary: 'Enrol a user on a course with a single enrolment option',
    description:
      'If the course has several options, the response is 409 `multiple_enrolment_options`, which lists them with the path to use for each.',
    example: ['Reference'],
    problems: [...enrolProblems, 'no_enrolment_option', 'multiple_enrolment_options'],
    params: Type.Object({ LoginID, CourseID }),
    submission: async (ctx, { params, body }) =>
      enrolling(ctx, { ...body, loginId: params.LoginID, courseId: params.CourseID }, respond),
  }),
  route('GET /catalogue/course/{CourseID}/{LoginID}', 'readOffer', {
    summary: 'Read a course as offered to a user',
    description: "Includes the options that this user can choose and the user's current enrolment.",
    tag: 'Catalogue',
    access: 'tenant',
    scope: 'catalogue:read',
    allowsLearners: true,
    params: Type.Object({ CourseID, LoginID }),
    responses: {
      200: {
        description: 'The course, the options this user can choose, and the current enrolment or null.',
        schema: Fields({ ...Course.properties, EnrollID: Nullable(EnrollID) }, { title: 'Offer' }),
      },
    },
    problems: ['course_not_found', 'user_not_found'],
    handle: async (ctx, { params }) =>
      ok(await readOffer(ctx, { courseId: params.CourseID, loginId: params.LoginID })),
  }),
  route('GET /enrolment', 'listEnrolments', {
    ...reading,
    summary: 'List enrolments',
    description: 'All filters can be combined. Use `ChangedAfter` to synchronise, or follow `GET /events`.',
    query: Fields({
      ...pageQuery,
      Order: Type.Optional(
        OneOf(enrolmentOrders, {
          description:
            'Sort order. Default: oldest. due lists only enrolments with a DueAt that are neither completed nor ended, by DueAt. status and status_descending group the enrolments by status: completed, enrolled, expired, in_progress, withdrawn. Within a group, they are sorted by creation. An enrolment that has just expired can be in its former group for up to 30 seconds.',
        }),
      ),
      ...countQuery,
      ...linkQuery,
      ...filterQuery,
    }),
    responses: { 200: { description: 'A page of enrolments.', schema: CountedPageOf(ListedEnrolment) } },
    handle: async (ctx, { query }) => ok(await listEnrolments(ctx, query)),
  }),
  route('GET /enrolment/{LoginID}', 'listEnrolmentsOfUser', {
    ...reading,
    summary: "List a user's enrolments",
    description: 'Includes ended enrolments.',
    allowsLearners: true,
    params: Type.Object({ LoginID }),
    query: Fields({ ...pageQuery, ...orderQuery, ...linkQuery }),
    responses: { 200: { description: 'A page of enrolments.', schema: PageOf(ListedEnrolment) } },
    problems: ['user_not_found'],
    handle: async (ctx, { params, query }) =>
      ok(await listEnrolmentsOfUser(ctx, { ...query, LoginID: params.LoginID })),
  }),
  route('GET /enrolment/{LoginID}/{EnrollID}', 'readEnrolment', {
    ...reading,
    summary: 'Read an enrolment',
    description: 'Returns the same record as the operation that enrols the user.',
    allowsLearners: true,
    params,
    responses: { 200: { description: 'The enrolment.', schema: Enrolment } },
    problems: ['enrolment_not_found'],
    handle: async (ctx, { params }) =>
      ok(await readEnrolment(ctx, { loginId: params.LoginID, enrollId: params.EnrollID }, paths)),
  }),
  route('PUT /enrolment/{LoginID}/{EnrollID}', 'updateEnrolment', {
    ...writing,
    summary: 'Change an enrolment',
    description:
      'Changes when access ends, withdraws or reinstates the enrolment, changes Reference and Metadata, sets the rules for attempts, or overrides the result. Fields that you leave out keep their values.',
    example: ['Reference'],
    params,
    query: Fields({
      Plan: Type.Optional(
        Type.Boolean({
          description: 'If true, returns the enrolment as it would be after the change, and changes nothing.',
        }),
      ),
    }),
    body: EnrolmentChange,
    responses: { 200: { description: 'The changed enrolment.', schema: Enrolment } },
    problems: ['enrolment_not_found', 'no_seats_left', 'already_enrolled', 'touched'],
    events: [
      'enrolment.updated',
      'enrolment.withdrawn',
      'enrolment.expired',
      'enrolment.progressed',
      'enrolment.completed',
      'enrolment.passed',
      'enrolment.failed',
    ],
    audits: [
      'enrolment.overridden',
      'enrolment.withdrawn',
      'enrolment.reinstated',
      'enrolment.end_changed',
      'enrolment.details_changed',
    ],
    handle: async (ctx, { params, query, body }) => {
      const input = { ...body, loginId: params.LoginID, enrollId: params.EnrollID };
      const change = (ctx: TenantContext) => updateEnrolment(ctx, input);
      return ok(await (query.Plan ? dryRun(ctx, change) : change(ctx)));
    },
  }),
  route('GET /enrolment/{LoginID}/{EnrollID}/explain', 'explainEnrolment', {
    ...reading,
    summary: 'Explain whether the learner can start now',
    description:
      'Checks the same rules as a click on the launch link, and reports which rules fail and what to do about them.',
    allowsLearners: true,
    params,
    responses: { 200: { description: 'The rules in order.', schema: Explanation } },
    problems: ['enrolment_not_found'],
    handle: async (ctx, { params }) =>
      ok(await explainEnrolment(ctx, { loginId: params.LoginID, enrollId: params.EnrollID }, paths)),
  }),
  route('GET /enrolment/{LoginID}/{EnrollID}/timeline', 'readTimeline', {
    ...reading,
    summary: 'Read the timeline of an enrolment',
    description:
      'Lists every launch, every commit with its result, and every event, for example for support staff.',
    allowsLearners: true,
    params,
    query: Fields(pageQuery),
    responses: {
      200: { description: 'Launches, commits and events, oldest first.', schema: PageOf(TimelineEntry) },
    },
    problems: ['enrolment_not_found'],
    handle: async (ctx, { params, query }) =>
      ok(await readTimeline(ctx, { ...query, loginId: params.LoginID, enrollId: params.EnrollID })),
  }),
];
