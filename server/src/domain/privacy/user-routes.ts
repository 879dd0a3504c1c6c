import Type from 'typebox';
import { ok, route } from '../../http/routes.ts';
import { Fields } from '../../http/validation/schema.ts';
import { Erasure } from '../sign-in/schemas.ts';
import { LoginID } from '../users/schemas.ts';
import { undoMs } from '../users/untouched.ts';
import { eraseUser } from './erase.ts';
import { exportUser } from './export-user.ts';

const params = Type.Object({ LoginID });
const common = { tag: 'Users', access: 'tenant' } as const;

export const personalDataRoutes = [
  route('DELETE /user/{LoginID}', 'eraseUser', {
    ...common,
    summary: "Erase a user's personal data and end their access",
    description:
      'Personal data is erased, access ends, and anonymous results are kept. The receipt says what was erased and what was kept. Large erasures take a while; they continue if you disconnect, and repeating the call returns the same receipt.',
    scope: 'users:write',
    params,
    query: Fields({
      Plan: Type.Optional(
        Type.Boolean({
          description: 'If true, the response says what would be erased, and nothing is changed.',
        }),
      ),
      Untouched: Type.Optional(
        Type.Boolean({
          description:
            'If true, the user is only erased if they were created within the last hour and have no changes, enrolments, sign-ins, invitations or other data. Enrolments that were withdrawn before their first launch are ignored. Otherwise, the response is 409 touched, and its reason is older, changed, used or enrolled. enrolled means that only the enrolments have to be withdrawn first.',
        }),
      ),
    }),
    responses: {
      200: { description: 'The receipt. Repeating the call returns the same one.', schema: Erasure },
    },
    problems: ['user_not_found', 'touched', 'on_legal_hold'],
    events: ['user.erased', 'enrolment.withdrawn'],
    audits: ['user.erased'],
    handle: async (ctx, { params, query, turn }) => {
      const { Plan: plan = false, Untouched: untouched = false } = query;
      const untouchedMs = untouched ? undoMs : null;
      const input = { loginId: params.LoginID, plan, untouchedMs, isContinued: turn > 0 };
      const erasure = await eraseUser(ctx, input);
      return erasure === null ? { status: 200, isPartial: true } : ok(erasure);
    },
  }),
  route('GET /user/{LoginID}/export', 'exportUser', {
    ...common,
    summary: 'Export all data held about a user',
    description: 'For data subject access requests. The response is one document.',
    scope: 'users:read',
    // An export contains nothing that its caller could not read anyway.
    additionalScopes: ['enrolments:read', 'events:read', 'xapi:read', 'audit:read'],
    params,
    responses: {
      200: {
        description: 'An object with one list for each kind of data.',
        type: 'application/json',
        schema: Type.Object({}, { title: 'PersonalData', additionalProperties: true }),
      },
    },
    problems: ['user_not_found'],
    audits: ['user.exported'],
    streamsResponse: true,
    handle: async (ctx, { params }) => ({
      status: 200,
      body: await exportUser(ctx, { loginId: params.LoginID }),
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Disposition': 'attachment; filename="user.json"',
      },
    }),
  }),
];
