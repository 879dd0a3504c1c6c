import Type from 'typebox';
import { CountedPageOf, countQuery, orderQuery, pageQuery } from '../../http/pagination.ts';
import { ok, route } from '../../http/routes.ts';
import { Fields, OneOf, Text } from '../../http/validation/schema.ts';
import { enrolProblems } from '../enrolments/enrol.ts';
import { LoginID } from '../users/schemas.ts';
import { checkKey } from './check.ts';
import { issueKeys } from './issue.ts';
import { listKeys, readEnrolmentKey, revokeEnrolmentKey } from './keys.ts';
import { redeemKey, redeemProblems } from './redeem.ts';
import {
  CheckedKey,
  EnrolmentKey,
  IssuedKeys,
  KeyRedemption,
  keyStatuses,
  NewEnrolmentKeys,
  RedeemedKey,
  TypedKey,
} from './schemas.ts';

const params = Type.Object({
  Key: Type.String({ minLength: 1, maxLength: 100, description: 'The KeyID, or the key itself.' }),
});
const reading = { tag: 'Enrolment keys', access: 'tenant', scope: 'enrolments:read' } as const;
const writing = { tag: 'Enrolment keys', access: 'tenant', scope: 'enrolments:write' } as const;

const redeeming = {
  ...writing,
  allowsLearners: true,
  example: ['IfEnrolled'],
  params: Type.Object({ LoginID, Key: TypedKey }),
  body: KeyRedemption,
  problems: [...enrolProblems, 'option_not_found', ...redeemProblems],
} as const;

export const enrolmentKeyRoutes = [
  route('POST /enrolment/key', 'issueEnrolmentKeys', {
    ...writing,
    summary: 'Create enrolment keys (vouchers)',
    description: 'Each key enrols one user on all of its courses. The keys are shown only in this response.',
    example: ['PurchaseOrder'],
    body: NewEnrolmentKeys,
    responses: { 201: { description: 'Created. Each Key is shown only once.', schema: IssuedKeys } },
    problems: ['user_not_found', 'course_not_found', 'course_retired', 'option_not_found'],
    events: [],
    audits: ['enrolment_key.issued'],
    handle: async (ctx, { body }) => ({ status: 201, body: await issueKeys(ctx, body) }),
  }),
  route('GET /enrolment/key', 'listEnrolmentKeys', {
    ...reading,
    summary: 'List enrolment keys',
    description: 'Shows only the first characters of each key.',
    query: Fields({
      ...pageQuery,
      ...orderQuery,
      ...countQuery,
      PurchaseOrder: Type.Optional(Text(255)),
      Status: Type.Optional(OneOf(keyStatuses, { title: 'EnrolmentKeyStatus' })),
    }),
    responses: { 200: { description: 'A page of keys.', schema: CountedPageOf(EnrolmentKey) } },
    handle: async (ctx, { query }) => ok(await listKeys(ctx, query)),
  }),
  route('GET /enrolment/key/{Key}', 'readEnrolmentKey', {
    ...reading,
    summary: 'Read an enrolment key',
    description: 'Accepts the KeyID, or the key as it was typed.',
    params,
    responses: { 200: { description: 'The key.', schema: EnrolmentKey } },
    problems: ['key_not_found', 'key_mistyped'],
    handle: async (ctx, { params }) => ok(await readEnrolmentKey(ctx, { key: params.Key })),
  }),
  route('DELETE /enrolment/key/{Key}', 'revokeEnrolmentKey', {
    ...writing,
    summary: 'Revoke an enrolment key',
    description: 'A revoked key cannot be redeemed. Enrolments made with it are not affected.',
    params,
    responses: { 200: { description: 'The revoked key.', schema: EnrolmentKey } },
    problems: ['key_not_found', 'key_mistyped', 'key_redeemed'],
    events: [],
    audits: ['enrolment_key.revoked'],
    handle: async (ctx, { params }) => ok(await revokeEnrolmentKey(ctx, { key: params.Key })),
  }),
  route('POST /enrol/key/{LoginID}/{Key}/check', 'checkEnrolmentKey', {
    ...redeeming,
    summary: 'Check what redeeming an enrolment key would do',
    description:
      'For a page that shows the courses before the user confirms. Changes nothing and fails like the redemption; unknown keys count towards the same limit.',
    responses: { 200: { description: 'The courses of the key.', schema: CheckedKey } },
    events: [],
    handle: async (ctx, { params, body }) =>
      ok(await checkKey(ctx, { ...body, loginId: params.LoginID, key: params.Key })),
  }),
  route('POST /enrol/key/{LoginID}/{Key}', 'redeemEnrolmentKey', {
    ...redeeming,
    summary: 'Redeem an enrolment key',
    description:
      'Enrols the user on all courses of the key, or on none. Repeating the request for the same user is safe.',
    responses: {
      201: { description: 'Redeemed: the user is enrolled on all courses.', schema: RedeemedKey },
      200: { description: 'This user has already redeemed the key: a safe retry.', schema: RedeemedKey },
    },
    events: [
      'key.redeemed',
      'enrolment.created',
      'enrolment.extended',
      'enrolment.renewed',
      'enrolment.expired',
      'user.updated',
    ],
    handle: async (ctx, { params, body }) => {
      const { redeemed, isNew } = await redeemKey(ctx, { ...body, loginId: params.LoginID, key: params.Key });
      return { status: isNew ? 201 : 200, body: redeemed };
    },
  }),
];
