import { Readable } from 'node:stream';
import Type from 'typebox';
import { route } from '../../http/routes.ts';
import { Fields, Text } from '../../http/validation/schema.ts';
import { CourseID } from '../catalogue/schemas.ts';
import { LoginID } from '../users/schemas.ts';
import { evidencePack } from './pack.ts';

export const evidenceRoutes = [
  route('GET /evidence', 'exportEvidence', {
    tag: 'Reports',
    access: 'tenant',
    summary: 'Export evidence for an auditor',
    description:
      'One file for a selection and a past day: a row for each person and course with the result at the end of that day, its certificates and the events that prove it, and external completions. The last line has the hash of all bytes before it, signed with your key, so that one changed byte is found without this service: see the guide. The file is NDJSON and is streamed.',
    scope: 'enrolments:read',
    additionalScopes: ['users:read', 'events:read', 'certificates:read'],
    query: Fields({
      AsOf: Type.Optional(
        Type.String({
          format: 'date',
          description: 'The day, in the `TimeZone` of the tenant. Default: today, up to now.',
        }),
      ),
      CourseID: Type.Optional(CourseID),
      GroupName: Type.Optional(
        Text(255, {
          minLength: 1,
          description: 'People who are in this group, or were when they were enrolled.',
        }),
      ),
      LoginID: Type.Optional(LoginID),
    }),
    streamsResponse: true,
    responses: { 200: { description: 'The file.', type: 'application/x-ndjson' } },
    problems: ['user_not_found'],
    audits: ['evidence.exported'],
    handle: async (ctx, { query }) => ({
      status: 200,
      body: Readable.from(await evidencePack(ctx, query), { objectMode: false }),
      headers: {
        'Content-Type': 'application/x-ndjson; charset=utf-8',
        'Content-Disposition': 'attachment; filename="evidence.ndjson"',
      },
    }),
  }),
];
