import { route } from '../../http/routes.ts';
import { bulkQuery, bulkResponse, bulkStreams } from '../../http/rows/bulk.ts';
import { createUsersInBulk, enrolInBulk } from './bulk.ts';

export const bulkEnrolRoutes = [
  route({
    method: 'POST',
    path: '/user/bulk',
    name: 'createUsers',
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
  route({
    method: 'POST',
    path: '/enrol/bulk',
    name: 'enrolMany',
    summary: 'Enrol many users',
    description:
      'Each row is processed like a call to `POST /enrol/{LoginID}/{CourseID}`. Rows are independent: a rejected row does not affect the others.',
    tag: 'Enrolments',
    access: 'tenant',
    scope: 'enrolments:write',
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
