import Type from 'typebox';
import { orderQuery, PageOf, pageQuery } from '../../http/pagination.ts';
import { ok, route } from '../../http/routes.ts';
import { Fields } from '../../http/validation/schema.ts';
import { LoginID } from '../users/schemas.ts';
import { listHolds, placeHold, releaseHold } from './holds.ts';
import { HoldID, LegalHold, LegalHoldChange } from './schemas.ts';

const reading = { tag: 'Users', access: 'tenant', scope: 'holds:read' } as const;
const writing = { tag: 'Users', access: 'tenant', scope: 'holds:write' } as const;
const ofPerson = { params: Type.Object({ LoginID, HoldID }) } as const;

export const holdRoutes = [
  route('PUT /user/{LoginID}/hold/{HoldID}', 'placeLegalHold', {
    ...writing,
    ...ofPerson,
    summary: 'Place a legal hold on a person',
    description:
      'As long as a person has a legal hold, their erasure is rejected with 409 `on_legal_hold`. A HoldID, such as the number of a case, can be used for several people. Repeating the request changes the reason.',
    body: LegalHoldChange,
    example: ['Reason'],
    responses: {
      201: { description: 'Placed.', schema: LegalHold },
      200: { description: 'The person had this hold.', schema: LegalHold },
    },
    problems: ['user_not_found'],
    events: [],
    audits: ['hold.placed'],
    handle: async (ctx, { params, body }) => {
      const input = { loginId: params.LoginID, holdId: params.HoldID, reason: body.Reason };
      const { hold, isNew } = await placeHold(ctx, input);
      return isNew ? { status: 201, body: hold } : ok(hold);
    },
  }),
  route('DELETE /user/{LoginID}/hold/{HoldID}', 'releaseLegalHold', {
    ...writing,
    ...ofPerson,
    summary: 'Release a legal hold',
    description: 'The audit trail keeps who placed and released it, and when.',
    responses: { 204: { description: 'Released.' } },
    problems: ['user_not_found', 'hold_not_found'],
    events: [],
    audits: ['hold.released'],
    handle: async (ctx, { params }) => {
      await releaseHold(ctx, { loginId: params.LoginID, holdId: params.HoldID });
      return { status: 204 };
    },
  }),
  route('GET /hold', 'listLegalHolds', {
    ...reading,
    summary: 'List legal holds',
    description: 'In the order in which they were placed.',
    query: Fields({
      ...pageQuery,
      ...orderQuery,
      LoginID: Type.Optional(LoginID),
      HoldID: Type.Optional(HoldID),
    }),
    responses: { 200: { description: 'A page of legal holds.', schema: PageOf(LegalHold) } },
    problems: ['user_not_found'],
    handle: async (ctx, { query }) => ok(await listHolds(ctx, query)),
  }),
];
