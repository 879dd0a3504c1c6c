import Type from 'typebox';
import { pageQuery } from '../../../http/pagination.ts';
import { created, ok, path, route } from '../../../http/routes.ts';
import { Fields, Identifier, Text } from '../../../http/validation/schema.ts';
import { LoginID } from '../../users/schemas.ts';
import { consolePath, SignInRequest } from '../schemas.ts';
import { finishSignIn, signOutAtProvider, startSignIn } from './flow.ts';
import { unlink } from './identities.ts';
import { testConnection } from './oidc.ts';
import {
  checkIssuer,
  deleteProvider,
  findProvider,
  listProviders,
  providerNotFound,
  putProvider,
  readProvider,
} from './providers.ts';
import {
  ConnectionTest,
  IdentityProvider,
  IdentityProviderChange,
  IdentityProviderList,
  ProviderID,
  SignInProviders,
} from './schemas.ts';
import { signInProviders } from './sign-in-providers.ts';

/** A provider can sign in anyone, administrators too. */
const common = {
  tag: 'Identity providers',
  access: 'tenant',
  scope: 'connections:write',
  additionalScopes: ['users:admin'],
} as const;
const open = { tag: 'Sessions', access: 'anyone', scope: null, page: true } as const;
const params = Type.Object({ ProviderID });
const html = (description: string) => ({ description, type: 'text/html' });
const TenantID = Identifier('The tenant.');
const ofTenant = Type.Object({ TenantID });
const ofProvider = Type.Object({ TenantID, ProviderID });

export const providerRoutes = [
  route('PUT /identity-provider/{ProviderID}', 'putIdentityProvider', {
    ...common,
    summary: 'Add or change an identity provider',
    description:
      'An OpenID provider with which users of your tenant sign in. A new one needs `Issuer` and `ClientID`. Fields that you leave out keep their values. Sessions from the provider have no more scopes than the key with which you changed it last, so the key must have all scopes that learners need.',
    example: ['Issuer', 'ClientID', 'ClientSecret', 'LinkBy'],
    params,
    body: IdentityProviderChange,
    responses: {
      200: { description: 'Changed.', schema: IdentityProvider },
      201: { description: 'Added.', schema: IdentityProvider },
    },
    problems: ['webhook_address_refused', 'provider_limit', 'provider_not_ready', 'sign_in_unavailable'],
    events: [],
    audits: ['identity_provider.created', 'identity_provider.changed'],
    prepare: (ctx, { body }) => checkIssuer(ctx, body),
    handle: async (ctx, { params, body }) => {
      const { provider, isNew } = await putProvider(ctx, { ...body, providerId: params.ProviderID });
      return isNew ? created(provider, path`/identity-provider/${provider.ProviderID}`) : ok(provider);
    },
  }),
  route('GET /identity-provider', 'listIdentityProviders', {
    ...common,
    summary: 'List identity providers',
    description: 'Ordered by ProviderID. Client secrets are not returned.',
    query: Fields(pageQuery),
    responses: { 200: { description: 'A page of identity providers.', schema: IdentityProviderList } },
    handle: async (ctx, { query }) => ok(await listProviders(ctx, query)),
  }),
  route('GET /identity-provider/{ProviderID}', 'readIdentityProvider', {
    ...common,
    summary: 'Read an identity provider',
    description: 'Includes the redirect URI to register at the provider. The client secret is not returned.',
    params,
    responses: { 200: { description: 'The identity provider.', schema: IdentityProvider } },
    problems: ['provider_not_found'],
    handle: async (ctx, { params }) => ok(await readProvider(ctx, { providerId: params.ProviderID })),
  }),
  route('DELETE /identity-provider/{ProviderID}', 'deleteIdentityProvider', {
    ...common,
    summary: 'Delete an identity provider',
    description:
      'Its links to users are deleted, and sessions from it end. The users and their results stay.',
    params,
    responses: { 200: { description: 'The deleted identity provider.', schema: IdentityProvider } },
    problems: ['provider_not_found', 'sign_in_unavailable'],
    events: [],
    audits: ['identity_provider.deleted'],
    handle: async (ctx, { params }) => ok(await deleteProvider(ctx, { providerId: params.ProviderID })),
  }),
  route('POST /identity-provider/{ProviderID}/test', 'testIdentityProvider', {
    ...common,
    summary: 'Test the connection to an identity provider',
    description:
      'Tries what a sign-in needs, and names the first step that fails and what to do about it. Nobody is signed in.',
    params,
    responses: { 200: { description: 'The result, even if a step failed.', schema: ConnectionTest } },
    problems: ['provider_not_found'],
    events: [],
    prepare: async (ctx, { params }) => {
      const provider = await findProvider(ctx, { tenantId: ctx.tenantId, providerId: params.ProviderID });
      if (!provider) throw providerNotFound();
      return testConnection(ctx, provider);
    },
    handle: async (_, { prepared }) => ok(prepared),
  }),
  route('DELETE /identity-provider/{ProviderID}/user/{LoginID}', 'unlinkUser', {
    ...common,
    summary: 'Unlink a user from an identity provider',
    description:
      'For an account that was linked to the wrong user, or was created again at the provider. The next sign-in links by the rule of the provider.',
    params: Type.Object({ ProviderID, LoginID }),
    responses: { 204: { description: 'Unlinked. Sessions of the user from this provider have ended.' } },
    problems: ['provider_not_found', 'user_not_found'],
    events: [],
    audits: ['identity.unlinked'],
    handle: async (ctx, { params }) => {
      await unlink(ctx, { providerId: params.ProviderID, loginId: params.LoginID });
      return { status: 204 };
    },
  }),
  route('GET /sso/{TenantID}/provider', 'listSignInProviders', {
    ...open,
    summary: 'List the sign-in buttons of a tenant',
    description:
      'For sign-in pages. The path contains the ID or name of the tenant. Empty if the tenant is unknown or has no identity provider.',
    params: ofTenant,
    query: Fields({
      Email: Type.Optional(
        Text(320, { description: 'Only the provider of this address, if its domain has one.' }),
      ),
    }),
    responses: { 200: { description: 'The buttons.', schema: SignInProviders } },
    handle: async (ctx, { params, query }) =>
      ok(await signInProviders(ctx, { tenant: params.TenantID, email: query.Email })),
  }),
  route('GET /sso/{TenantID}/start', 'startSignIn', {
    ...open,
    summary: 'Sign in with an identity provider',
    description:
      "Redirect the user's browser here. If the tenant has several providers and neither `ProviderID` nor `Email` selects one, the user chooses.",
    params: ofTenant,
    query: Fields({
      ProviderID: Type.Optional(ProviderID),
      Email: Type.Optional(
        Text(320, { description: "The user's address. Its domain selects the provider." }),
      ),
      ReturnPath: SignInRequest.properties.Path,
      Window: Type.Optional(
        Type.Boolean({ description: 'true in a window that a framed launch has opened.' }),
      ),
      AsAnother: Type.Optional(
        Type.Boolean({ description: 'true: the provider asks who signs in, even if somebody already is.' }),
      ),
    }),
    responses: {
      200: html('A choice of providers.'),
      303: { description: 'Redirects to the provider.' },
      403: html('The tenant is suspended.'),
      404: html('The tenant has no such provider.'),
      502: html('The provider does not answer.'),
    },
    handle: (ctx, { params, query, request }) =>
      startSignIn(ctx, request, {
        tenant: params.TenantID,
        providerId: query.ProviderID,
        email: query.Email,
        target: query.ReturnPath ?? consolePath,
        isWindow: query.Window ?? false,
        asksAgain: query.AsAnother ?? false,
      }),
  }),
  route('GET /sso/{TenantID}/callback/{ProviderID}', 'finishSignIn', {
    ...open,
    summary: 'Return from an identity provider',
    description: 'The redirect URI. Works only in the browser that started the sign-in.',
    params: ofProvider,
    query: Type.Object({}, { additionalProperties: true }),
    responses: {
      200: html('The window of a framed launch: returns to the frame.'),
      303: { description: 'Signed in: sets the session cookie and redirects to the requested page.' },
      400: html('This browser has not started the sign-in, or too long ago.'),
      403: html('The account cannot sign in, or the provider rejected the sign-in.'),
      404: html('The tenant has no such provider.'),
    },
    audits: [
      'sign_in.succeeded',
      'sign_in.failed',
      'identity.linked',
      'administrator.created',
      'user.access_changed',
    ],
    events: ['user.created', 'user.updated'],
    handle: (ctx, { params, request }) =>
      finishSignIn(ctx, request, { tenantId: params.TenantID, providerId: params.ProviderID }),
  }),
  route('GET /sso/{TenantID}/sign-out/{ProviderID}', 'signOutAtProvider', {
    ...open,
    summary: 'Sign out at an identity provider',
    description: 'The `SignOutURL` of a session. Open it after signing out here.',
    params: ofProvider,
    responses: {
      303: { description: "Redirects to the provider's sign-out or, if it has none, to the sign-in page." },
      404: html('The tenant has no such provider.'),
    },
    handle: (ctx, { params, request }) =>
      signOutAtProvider(ctx, request, { tenantId: params.TenantID, providerId: params.ProviderID }),
  }),
];
