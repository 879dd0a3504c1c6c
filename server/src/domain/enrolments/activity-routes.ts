import Type from 'typebox';
import { PageOf, pageQuery } from '../../http/pagination.ts';
import { ok, route } from '../../http/routes.ts';
import { Fields } from '../../http/validation/schema.ts';
import { CourseID } from '../catalogue/schemas.ts';
import { LoginID } from '../users/schemas.ts';
import { readActivity } from './history/activity.ts';
import { CourseInteraction, CourseQuestions, UnitActivity } from './history/activity-schemas.ts';
import { listCourseInteractions, readCourseQuestions } from './history/course-questions.ts';
import { EnrollID } from './record/schemas.ts';

const reading = { method: 'GET', tag: 'Enrolments', access: 'tenant', scope: 'enrolments:read' } as const;

export const activityRoutes = [
  route({
    ...reading,
    path: '/enrolment/{LoginID}/{EnrollID}/activity',
    name: 'readActivity',
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
    responses: {
      200: { description: 'A page of units, ordered by UnitID.', schema: PageOf(UnitActivity) },
    },
    problems: ['enrolment_not_found'],
    handle: async (ctx, { params, query }) =>
      ok(await readActivity(ctx, { ...query, loginId: params.LoginID, enrollId: params.EnrollID })),
  }),
  route({
    ...reading,
    path: '/enrolment/course/{CourseID}/interaction',
    name: 'listCourseInteractions',
    summary: "List a course's interactions",
    description:
      "Lists the answers that the tenant's learners gave to each question in a course, in the current and earlier attempts. Send `Accept: text/csv` for a table. A page may have fewer rows than `Limit`: continue while there is a NextCursor.",
    params: Type.Object({ CourseID }),
    query: Fields(pageQuery),
    responses: { 200: { description: 'A page of interactions.', schema: PageOf(CourseInteraction) } },
    handle: async (ctx, { params, query }) =>
      ok(await listCourseInteractions(ctx, { ...query, courseId: params.CourseID })),
  }),
  route({
    ...reading,
    path: '/enrolment/course/{CourseID}/question',
    name: 'readCourseQuestions',
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
