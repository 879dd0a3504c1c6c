import { route } from '../../platform/http/routes.ts';
import { bulkQuery, bulkResponse, bulkStreams } from '../../platform/rows/bulk.ts';
import { enrolInBulk } from './bulk-enrol.ts';

export const bulkEnrolRoutes = [
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
