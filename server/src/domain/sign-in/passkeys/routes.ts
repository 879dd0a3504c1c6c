import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { ok, route } from '../../../http/routes.ts';
import { Fields, Notify } from '../../../http/validation/schema.ts';
import type { Context } from '../../../infra/context/context.ts';
import { Problem } from '../../../lib/errors.ts';
import { LoginID } from '../../users/schemas.ts';
import { cookieOf } from '../cookie.ts';
import { Session } from '../schemas.ts';
import { sessionOf, signedIn, signedOut } from '../sessions.ts';
import { addPasskey, createChallenge, takeChallenge, usePasskey } from './ceremonies.ts';
import {
  listOwnPasskeys,
  listUserPasskeys,
  removePasskey,
  removeUserPasskeys,
  renamePasskey,
} from './manage.ts';
import { operatorStore } from './operator-store.ts';
import {
  NewPasskey,
  Passkey,
  PasskeyAnswer,
  PasskeyChallenge,
  PasskeyList,
  PasskeyName,
  PasskeyParams,
  PasskeyPurpose,
} from './schemas.ts';
import type { PasskeyStore } from './store.ts';
import { userStore } from './user-store.ts';

const open = { tag: 'Sessions', access: 'anyone', scope: null } as const;
const session = ['cross_site', 'signed_out', 'session_ambiguous', 'tenant_suspended', 'own_only'] as const;

/** The passkeys of the person who is signed in to the browser. */
async function ownStore(ctx: Context, request: FastifyRequest): Promise<PasskeyStore> {
  const found = await sessionOf(ctx, request);
  if (!found) throw signedOut();
  const { userId } = found;
  const { Role, TenantID } = found.session;
  if (userId === null || TenantID === null) return operatorStore(found);
  if (Role === 'learner')
    throw new Problem('own_only', 'Only administrators and the operator can have passkeys.');
  return userStore({ ...found, userId }, TenantID);
}

export const passkeyRoutes = [
  route('POST /session/passkey/challenge', 'createPasskeyChallenge', {
    ...open,
    summary: 'Get a challenge to add or use a passkey',
    description:
      'For users who are signed in to a page of this service. The challenge can be used once, within five minutes, by the same session; a newer one replaces it.',
    body: PasskeyPurpose,
    responses: { 200: { description: 'The challenge.', schema: PasskeyChallenge } },
    problems: [...session, 'passkey_required', 'passkeys_unavailable', 'login_throttled'],
    events: [],
    audits: [],
    handle: async (ctx, { body, request }) =>
      ok(await createChallenge(ctx, await ownStore(ctx, request), body)),
  }),
  route('POST /session/passkey/use', 'usePasskey', {
    ...open,
    summary: 'Use a passkey as the second step of signing in',
    description: 'The session gets a new cookie, and can then make other calls.',
    body: PasskeyAnswer,
    responses: { 200: { description: 'Signed in: the session and its cookie.', schema: Session } },
    problems: [...session, 'passkeys_unavailable', 'passkey_rejected'],
    events: [],
    audits: ['sign_in.succeeded', 'sign_in.failed'],
    handle: async (ctx, { body, request }) => {
      const store = await ownStore(ctx, request);
      const challenge = await takeChallenge(ctx, store, 'use');
      const use = await usePasskey(ctx, store, challenge, body);
      return signedIn(ctx, await use());
    },
  }),
  route('GET /session/passkey', 'listOwnPasskeys', {
    ...open,
    summary: 'List your own passkeys',
    description: 'For administrators and the operator.',
    responses: { 200: { description: 'The passkeys.', schema: PasskeyList } },
    problems: [...session, 'passkey_required'],
    handle: async (ctx, { request }) =>
      ok({ Items: await listOwnPasskeys(ctx, await ownStore(ctx, request)) }),
  }),
  route('POST /session/passkey', 'addPasskey', {
    ...open,
    summary: 'Add a passkey',
    description:
      'Once an account has a passkey, each of its sessions must use one. The session that added it gets a new cookie.',
    body: NewPasskey,
    responses: { 201: { description: 'The passkey, and a new cookie for the session.', schema: Passkey } },
    problems: [...session, 'passkey_required', 'passkeys_unavailable', 'passkey_rejected', 'passkey_limit'],
    events: [],
    audits: ['passkey.added'],
    handle: async (ctx, { body, request }) => {
      const store = await ownStore(ctx, request);
      const challenge = await takeChallenge(ctx, store, 'add');
      const add = await addPasskey(ctx, store, challenge, body);
      const added = await add();
      return { status: 201, body: added.passkey, headers: cookieOf(ctx, added.token) };
    },
  }),
  route('PUT /session/passkey/{PasskeyID}', 'renamePasskey', {
    ...open,
    summary: 'Rename one of your passkeys',
    description: 'The name only helps you to recognise it.',
    params: PasskeyParams,
    body: PasskeyName,
    responses: { 200: { description: 'The renamed passkey.', schema: Passkey } },
    problems: [...session, 'passkey_required', 'passkey_not_found'],
    events: [],
    audits: ['passkey.renamed'],
    handle: async (ctx, { params, body, request }) => {
      const input = { passkeyId: params.PasskeyID, name: body.Name };
      return ok(await renamePasskey(ctx, await ownStore(ctx, request), input));
    },
  }),
  route('DELETE /session/passkey/{PasskeyID}', 'removePasskey', {
    ...open,
    summary: 'Remove one of your passkeys',
    description: 'All of your other sessions end. If a passkey is required, the last one cannot be removed.',
    params: PasskeyParams,
    responses: { 204: { description: 'The passkey has been removed.' } },
    problems: [...session, 'passkey_required', 'passkey_not_found', 'last_passkey'],
    events: [],
    audits: ['passkey.removed'],
    handle: async (ctx, { params, request }) => {
      await removePasskey(ctx, await ownStore(ctx, request), params.PasskeyID);
      return { status: 204 };
    },
  }),
  route('GET /user/{LoginID}/passkey', 'listUserPasskeys', {
    summary: "List a user's passkeys",
    description:
      'Only administrators need passkeys. A user who is no longer an administrator may still have some.',
    tag: 'Users',
    access: 'tenant',
    scope: 'users:read',
    params: Type.Object({ LoginID }),
    responses: { 200: { description: 'The passkeys, without their keys.', schema: PasskeyList } },
    problems: ['user_not_found'],
    handle: async (ctx, { params }) =>
      ok({ Items: await listUserPasskeys(ctx, { loginId: params.LoginID }) }),
  }),
  route('DELETE /user/{LoginID}/passkey', 'removeUserPasskeys', {
    summary: 'Remove all passkeys of a user who has lost them',
    description:
      'The user is signed out, and can then sign in with the password alone. If the tenant requires a passkey, the user has to add a new one. If somebody else may know the password, change it first.',
    tag: 'Users',
    access: 'tenant',
    scope: 'users:write',
    additionalScopes: ['users:admin'],
    params: Type.Object({ LoginID }),
    query: Fields({ Notify }),
    responses: { 204: { description: 'The user no longer has any passkeys.' } },
    problems: ['user_not_found'],
    events: [],
    audits: ['passkey.removed'],
    handle: async (ctx, { params, query }) => {
      await removeUserPasskeys(ctx, { ...query, loginId: params.LoginID });
      return { status: 204 };
    },
  }),
];
