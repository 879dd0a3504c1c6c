import Type from 'typebox';
import { CountedPageOf, countQuery, orderQuery, pageQuery } from '../../http/pagination.ts';
import { created, ok, path, route } from '../../http/routes.ts';
import { bulk, bulkQuery, bulkResponse, bulkStreams } from '../../http/rows/bulk.ts';
import type { RowDone } from '../../http/rows/work-rows.ts';
import { Fields, Text } from '../../http/validation/schema.ts';
import { planEach } from '../../infra/calls/dry-run.ts';
import type { Submission } from '../../infra/calls/once.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { CourseID } from '../catalogue/schemas.ts';
import { GroupFilter, LoginID, peopleQuery } from '../users/schemas.ts';
import { deleteCompletion, listCompletions, readCompletion } from './list.ts';
import { recording } from './record-completion.ts';
import { Completion, CompletionID, NewCompletion } from './schemas.ts';

const reading = { tag: 'Completions from elsewhere', access: 'tenant', scope: 'enrolments:read' } as const;
const writing = { tag: 'Completions from elsewhere', access: 'tenant', scope: 'enrolments:write' } as const;
const params = Type.Object({ CompletionID });

const recordingRow = (ctx: TenantContext, row: NewCompletion): Promise<Submission<RowDone>> =>
  recording(ctx, row, ({ completion, isNew }) => ({
    Status: isNew ? 201 : 200,
    LoginID: completion.LoginID,
    CourseID: completion.CourseID,
    Reference: completion.Reference,
    CompletionID: completion.CompletionID,
  }));

const recordInBulk = bulk<NewCompletion>({
  row: NewCompletion,
  record: Completion,
  names: ['LoginID', 'CourseID', 'Reference'],
  ids: ['CompletionID'],
  prepare: recordingRow,
  plan: (ctx, rows) => planEach(ctx, rows, recordingRow),
});

export const completionRoutes = [
  route('POST /completion', 'recordCompletion', {
    ...writing,
    summary: 'Record a completion from elsewhere',
    description:
      'A completion from another system, a classroom or a certificate. It makes no enrolment and is marked as external everywhere. With a Reference, repeating the request is safe: the response is 200 with the same data, and 409 `completion_exists` if it differs.',
    example: ['CourseID', 'Success', 'Score', 'Source', 'EvidenceText', 'Reference'],
    body: NewCompletion,
    responses: {
      201: { description: 'Recorded.', schema: Completion },
      200: { description: 'A completion with this Reference exists with the same data.', schema: Completion },
    },
    problems: ['user_not_found', 'course_not_found', 'completion_exists'],
    events: ['completion.recorded'],
    audits: ['completion.recorded'],
    submission: (ctx, { body }) =>
      recording(ctx, body, ({ completion, isNew }) =>
        isNew ? created(completion, path`/completion/${completion.CompletionID}`) : ok(completion),
      ),
  }),
  route('POST /completion/bulk', 'recordCompletions', {
    ...writing,
    summary: 'Record many completions from elsewhere',
    description: 'Each row is processed like a call to `POST /completion`. Rows are independent.',
    query: bulkQuery,
    streams: bulkStreams('those of POST /completion', {
      LoginID: 'ada',
      Title: 'First aid',
      CompletedAt: '2026-03-01',
      Reference: 'first-aid-ada',
    }),
    responses: { 200: bulkResponse },
    events: ['completion.recorded'],
    audits: ['completion.recorded'],
    handle: (ctx, { query, request }, reply) =>
      recordInBulk(ctx, { request, reply, body: request.body, plan: query.Plan ?? false }),
  }),
  route('GET /completion', 'listCompletions', {
    ...reading,
    summary: 'List completions from elsewhere',
    description: 'In the order in which they were recorded. Deleted ones are not listed.',
    query: Fields({
      ...pageQuery,
      ...orderQuery,
      ...countQuery,
      LoginID: Type.Optional(LoginID),
      CourseID: Type.Optional(CourseID),
      Reference: Type.Optional(Text(255)),
      GroupName: Type.Optional(GroupFilter),
      ...peopleQuery,
    }),
    responses: { 200: { description: 'A page of completions.', schema: CountedPageOf(Completion) } },
    handle: async (ctx, { query }) => ok(await listCompletions(ctx, query)),
  }),
  route('GET /completion/{CompletionID}', 'readCompletion', {
    ...reading,
    summary: 'Read a completion from elsewhere',
    description: 'Also one that was deleted, with the reason.',
    params,
    responses: { 200: { description: 'The completion.', schema: Completion } },
    problems: ['completion_not_found'],
    handle: async (ctx, { params }) => ok(await readCompletion(ctx, { completionId: params.CompletionID })),
  }),
  route('DELETE /completion/{CompletionID}', 'deleteCompletion', {
    ...writing,
    summary: 'Delete a completion from elsewhere',
    description: 'It no longer counts and is no longer listed. It can still be read, with the reason.',
    params,
    query: Fields({ Reason: Text(500, { minLength: 1, description: 'Why it does not count.' }) }),
    responses: { 200: { description: 'The deleted completion.', schema: Completion } },
    problems: ['completion_not_found'],
    events: ['completion.deleted'],
    audits: ['completion.deleted'],
    handle: async (ctx, { params, query }) =>
      ok(await deleteCompletion(ctx, { completionId: params.CompletionID, reason: query.Reason })),
  }),
];
