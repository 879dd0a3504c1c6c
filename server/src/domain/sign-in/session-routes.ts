import Type from 'typebox';
import { ok, route } from '../../http/routes.ts';
import { Fields, Text } from '../../http/validation/schema.ts';
import { LoginID } from '../users/schemas.ts';
import { browserOf, cookieOf, sessionCookie } from './cookie.ts';
import { readPasswordFunction, signInWithPassword } from './password-sign-in.ts';
import { crossSite, isCrossSite } from './same-origin.ts';
import { PasswordFunction, PasswordSignIn, Session, SignInLink, SignInRequest } from './schemas.ts';
import { sessionOf, signedIn, signedOut, signOut } from './sessions.ts';
import { createSignInLink, isLinkOfSuspendedTenant, isSignInLink, signIn } from './sign-in.ts';
import { crossSitePage, signInPage, suspendedTenantPage, usedLinkPage } from './sign-in-page.ts';

const html = (description: string) => ({ description, type: 'text/html' });
const Token = Text(2048, { description: 'Part of the sign-in link.' });
const open = { tag: 'Sessions', access: 'anyone', scope: null } as const;

export const sessionRoutes = [
  route('POST /user/session/{LoginID}', 'createSignInLink', {
    summary: 'Create a one-time sign-in link for a user',
    description:
      "The link signs the user in to this service's own pages. It works once and expires after a short time. Redirect the user's browser to it.",
    tag: 'Sessions',
    access: 'tenant',
    scope: 'users:write',
    params: Type.Object({ LoginID }),
    body: SignInRequest,
    responses: { 201: { description: "The link. Redirect the user's browser to it.", schema: SignInLink } },
    problems: ['user_not_found', 'user_disabled'],
    events: [],
    audits: ['sign_in_link.created'],
    handle: async (ctx, { params, body }) => ({
      status: 201,
      body: await createSignInLink(ctx, { ...body, loginId: params.LoginID }),
    }),
  }),
  route('GET /session/sign-in', 'openSignInLink', {
    ...open,
    summary: 'Show the page for a sign-in link',
    description:
      'Only the button on the page uses up the link, so mail scanners that follow links do no harm.',
    query: Type.Object({ token: Type.Optional(Token) }),
    responses: {
      200: html('A page with one button.'),
      403: html('The tenant is suspended.'),
      410: html('The link has expired or has been used.'),
    },
    handle: async (ctx, { query: { token } }) => {
      if (await isLinkOfSuspendedTenant(ctx, token)) return suspendedTenantPage(ctx, token);
      return token !== undefined && (await isSignInLink(ctx, token))
        ? signInPage(ctx, token)
        : usedLinkPage(ctx, token);
    },
  }),
  route('POST /session/sign-in', 'signIn', {
    ...open,
    summary: 'Use a sign-in link',
    description:
      'The button on the sign-in page sends this request. If it succeeds, the response sets the session cookie and redirects.',
    forms: true,
    body: Fields({ token: Token }, { title: 'SignInToken' }),
    responses: {
      303: { description: 'Signed in: sets the session cookie and redirects to the page.' },
      403: html('The form was sent by another site, or the tenant is suspended.'),
      410: html('The link has expired or has been used.'),
    },
    events: [],
    audits: ['sign_in.succeeded', 'sign_in.failed', 'operator.signed_in'],
    handle: async (ctx, { body, request }) => {
      if (isCrossSite(request)) return crossSitePage();
      if (request.validationError) throw request.validationError;
      if (await isLinkOfSuspendedTenant(ctx, body.token)) return suspendedTenantPage(ctx, body.token);
      const session = await signIn(ctx, { token: body.token, ...browserOf(request) });
      if (!session) return usedLinkPage(ctx, body.token);
      return { status: 303, headers: { Location: session.path, ...cookieOf(ctx, session.token) } };
    },
  }),
  route('GET /session/password/{TenantID}', 'readPasswordFunction', {
    ...open,
    summary: 'Get the hash function for signing in',
    description:
      'The browser hashes the password with this function. The path contains the ID or name of the tenant. The response does not reveal whether the tenant exists.',
    params: Type.Object({ TenantID: PasswordSignIn.properties.TenantID }),
    responses: {
      200: {
        description: 'sha256-hex if the tenant is unknown or has declared no function.',
        schema: PasswordFunction,
      },
    },
    handle: async (ctx, { params }) => ok(await readPasswordFunction(ctx, { tenantId: params.TenantID })),
  }),
  route('POST /session', 'signInWithPassword', {
    ...open,
    summary: 'Sign in with a hashed password',
    description: "For the console's sign-in page, which hashes the password first.",
    body: PasswordSignIn,
    responses: { 200: { description: 'Signed in: the session and its cookie.', schema: Session } },
    problems: ['cross_site', 'sign_in_failed', 'login_throttled', 'tenant_suspended', 'signed_out'],
    events: [],
    audits: ['sign_in.succeeded', 'sign_in.failed'],
    handle: async (ctx, { body, request }) => {
      if (isCrossSite(request)) throw crossSite();
      const signIn = await signInWithPassword(ctx, { ...body, ...browserOf(request) });
      return signedIn(ctx, await signIn());
    },
  }),
  route('GET /session', 'readSession', {
    ...open,
    summary: 'Read the current session',
    description: 'If nobody is signed in, the response is 401 `signed_out`.',
    responses: { 200: { description: 'The session.', schema: Session } },
    problems: ['cross_site', 'signed_out', 'session_ambiguous', 'tenant_suspended'],
    handle: async (ctx, { request }) => {
      const found = await sessionOf(ctx, request);
      if (!found) throw signedOut();
      return ok(found.session);
    },
  }),
  route('DELETE /session', 'signOut', {
    ...open,
    summary: 'Sign out',
    description: "Ends this browser's session and clears its cookie.",
    query: Fields({
      Everywhere: Type.Optional(
        Type.Boolean({ description: 'true signs this person, or the operator, out on all devices.' }),
      ),
    }),
    responses: { 204: { description: 'The user has been signed out, or nobody was signed in.' } },
    problems: ['cross_site', 'session_ambiguous'],
    events: [],
    audits: ['sessions.ended'],
    handle: async (ctx, { query, request }) => {
      await signOut(ctx, request, query.Everywhere ?? false);
      return { status: 204, headers: { 'Set-Cookie': sessionCookie(ctx, '', 0) } };
    },
  }),
];
