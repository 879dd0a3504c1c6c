import Type from 'typebox';
import { CountedPageOf, countQuery, orderQuery, PageOf, pageQuery } from '../../http/pagination.ts';
import { created, ok, path, route } from '../../http/routes.ts';
import { Fields, Nullable, OneOf } from '../../http/validation/schema.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { dryRun } from '../../infra/retries/dry-run.ts';
import { Course, CourseID, DurationID } from '../catalogue/schemas.ts';
import { LoginID } from '../users/schemas.ts';
import { type Enrolled, enrolling, enrolProblems, readOffer } from './enrol.ts';
import { explainEnrolment, type Paths } from './history/explain-enrolment.ts';
import { readTimeline } from './history/timeline.ts';
import { listEnrolments, listEnrolmentsOfUser, readEnrolment } from './list.ts';
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
import { updateEnrolment } from './update.ts';

const params = Type.Object({ LoginID, EnrollID });
const reading = { tag: 'Enrolments', access: 'tenant', scope: 'enrolments:read' } as const;
const writing = { tag: 'Enrolments', access: 'tenant', scope: 'enrolments:write' } as const;

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
  method: 'POST',
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
  route({
    ...enrolment,
    path: '/enrol/{LoginID}/{CourseID}/{DurationID}',
    name: 'enrolWithOption',
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
  route({
    ...enrolment,
    path: '/enrol/{LoginID}/{CourseID}',
    name: 'enrol',
    summary: 'Enrol a user on a course with a single enrolment option',
    description:
      'If the course has several options, the response is 409 `multiple_enrolment_options`, which lists them with the path to use for each.',
    example: ['Reference'],
    problems: [...enrolProblems, 'no_enrolment_option', 'multiple_enrolment_options'],
    params: Type.Object({ LoginID, CourseID }),
    submission: async (ctx, { params, body }) =>
      enrolling(ctx, { ...body, loginId: params.LoginID, courseId: params.CourseID }, respond),
  }),
  route({
    method: 'GET',
    path: '/catalogue/course/{CourseID}/{LoginID}',
    name: 'readOffer',
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
  route({
    ...reading,
    method: 'GET',
    path: '/enrolment',
    name: 'listEnrolments',
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
  route({
    ...reading,
    method: 'GET',
    path: '/enrolment/{LoginID}',
    name: 'listEnrolmentsOfUser',
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
  route({
    ...reading,
    method: 'GET',
    path: '/enrolment/{LoginID}/{EnrollID}',
    name: 'readEnrolment',
    summary: 'Read an enrolment',
    description: 'Returns the same record as the operation that enrols the user.',
    allowsLearners: true,
    params,
    responses: { 200: { description: 'The enrolment.', schema: Enrolment } },
    problems: ['enrolment_not_found'],
    handle: async (ctx, { params }) =>
      ok(await readEnrolment(ctx, { loginId: params.LoginID, enrollId: params.EnrollID }, paths)),
  }),
  route({
    ...writing,
    method: 'PUT',
    path: '/enrolment/{LoginID}/{EnrollID}',
    name: 'updateEnrolment',
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
  route({
    ...reading,
    method: 'GET',
    path: '/enrolment/{LoginID}/{EnrollID}/explain',
    name: 'explainEnrolment',
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
  route({
    ...reading,
    method: 'GET',
    path: '/enrolment/{LoginID}/{EnrollID}/timeline',
    name: 'readTimeline',
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
