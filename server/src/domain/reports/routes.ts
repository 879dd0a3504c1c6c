import Type from 'typebox';
import { PageOf, pageQuery } from '../../http/pagination.ts';
import { ok, route } from '../../http/routes.ts';
import { Fields } from '../../http/validation/schema.ts';
import { CourseID } from '../catalogue/schemas.ts';
import { GroupFilter, LoginID, peopleQuery } from '../users/schemas.ts';
import { readAttention } from './attention.ts';
import { deploymentRoute } from './deployment.ts';
import { countDays, listAccess, listActivity, listCompletion } from './figures.ts';
import { listRecordOfUser, listRecords, TrainingRecord } from './records.ts';
import {
  Access,
  Activity,
  activityQuery,
  Completion,
  linesQuery,
  Overview,
  overviewQuery,
} from './schemas.ts';
import { usageRoute } from './usage.ts';

export const reportRoutes = [
  deploymentRoute,
  usageRoute,
  route('GET /report/record/{LoginID}', 'listRecordOfUser', {
    summary: "Read a user's training record",
    description:
      'Everything that the user has done or is doing: enrolments with the release, completions from elsewhere with their evidence, and the requirements that each satisfies. Newest first. Learners can read their own.',
    tag: 'Reports',
    access: 'tenant',
    scope: 'enrolments:read',
    allowsLearners: true,
    params: Type.Object({ LoginID }),
    query: Fields(pageQuery),
    responses: { 200: { description: 'A page of the record.', schema: PageOf(TrainingRecord) } },
    problems: ['user_not_found'],
    handle: async (ctx, { params, query }) =>
      ok(await listRecordOfUser(ctx, { ...query, LoginID: params.LoginID })),
  }),
  route('GET /report/record', 'listRecords', {
    summary: 'List what was completed in a period',
    description:
      'The completions of these days only, here and elsewhere, newest first: From=2026-04-01 and To=2026-04-30 list those of April.',
    tag: 'Reports',
    access: 'tenant',
    scope: 'enrolments:read',
    query: Fields({
      ...pageQuery,
      From: Type.Optional(
        Type.String({
          format: 'date',
          description: "The first day, in the tenant's TimeZone. Default: 29 days before To.",
        }),
      ),
      To: Type.Optional(Type.String({ format: 'date', description: 'The last day. Default: today.' })),
      CourseID: Type.Optional(CourseID),
      GroupName: Type.Optional(GroupFilter),
      ...peopleQuery,
    }),
    responses: { 200: { description: 'A page of completions.', schema: PageOf(TrainingRecord) } },
    handle: async (ctx, { query }) => ok(await listRecords(ctx, query)),
  }),
  route('GET /report/completion', 'listCompletion', {
    summary: 'Report completion by course and group',
    description:
      'Counts enrolments by outcome, now or at the end of a past day. Changes appear within about ten seconds. If a tenant has many events, its first report only starts the counting, and reports return 503 until it has finished. `AsOf` counts users in the groups to which they belonged on that day; erased users count until their erasure. To list the enrolments behind a figure, send the same CourseID and GroupName with an Outcome to `GET /enrolment`, such as `passed,completed` for Completed. ManagerLoginID and Attribute count the enrolments of these users as they are now, not with an earlier `AsOf`.',
    tag: 'Reports',
    access: 'tenant',
    scope: 'enrolments:read',
    query: linesQuery,
    responses: {
      200: { description: 'A page of lines, ordered by CourseID and GroupName.', schema: PageOf(Completion) },
    },
    handle: async (ctx, { query }) => ok(await listCompletion(ctx, query)),
  }),
  route('GET /report/access', 'listAccess', {
    summary: 'Report overdue enrolments and access that ends soon',
    description:
      'Counts uncompleted enrolments by course and group: overdue ones, and those whose access ends within 7 or 30 days. Changes appear within about ten seconds. `AsOf` returns the open and overdue ones at the end of a past day, but not those whose access was about to end. If a tenant has many events, its first report only starts the counting, and reports return 503 until it has finished. To list the enrolments behind a figure, send the same CourseID and GroupName to `GET /enrolment`, with `Status=expired`, or with `Status=open` and `ExpiresBefore`. ManagerLoginID and Attribute count the enrolments of these users as they are now, not with an earlier `AsOf`.',
    tag: 'Reports',
    access: 'tenant',
    scope: 'enrolments:read',
    query: linesQuery,
    responses: {
      200: { description: 'A page of lines, ordered by CourseID and GroupName.', schema: PageOf(Access) },
    },
    handle: async (ctx, { query }) => ok(await listAccess(ctx, query)),
  }),
  route('GET /report/activity', 'listActivity', {
    summary: 'Report activity by day, week or month',
    description:
      'Counts what happened in each period, for all enrolments, a course, a group, or both. Periods without activity are included. Each event counts on the day on which it occurred, in the group that the user belonged to when it was counted. With ManagerLoginID or Attribute, the events of the users count whom these select now, as does GroupName then. If many events are still uncounted, the response is 503 until the job has counted them.',
    tag: 'Reports',
    access: 'tenant',
    scope: 'enrolments:read',
    query: activityQuery,
    responses: {
      200: {
        description: 'A page of periods, oldest first. The counts are exact at the time of the request.',
        schema: PageOf(Activity),
      },
    },
    handle: async (ctx, { query }) => ok(await listActivity(ctx, query)),
  }),
  route('GET /overview', 'readOverview', {
    summary: 'Get daily figures and what needs attention',
    description: "Returns the figures on the console's start page.",
    tag: 'Reports',
    access: 'tenant',
    scope: 'enrolments:read',
    query: overviewQuery,
    responses: { 200: { description: 'The counts are exact at the time of the request.', schema: Overview } },
    handle: async (ctx, { query, request }) => {
      const withWebhooks = request.caller?.scopes.includes('webhooks:write') ?? false;
      const Days = await countDays(ctx, { days: query.Days ?? 30 });
      if (Days === null) return { status: 200, isPartial: true };
      const Attention = await readAttention(ctx, { withWebhooks });
      return ok({ Days, Attention });
    },
  }),
];
