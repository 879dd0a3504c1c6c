import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { type Answer, ok, route } from '../../platform/routes.ts';
import { Fields, Text } from '../../platform/schema.ts';
import { LoginID } from '../users/schemas.ts';
import { sessionCookie } from './cookie.ts';
import { SignInLink, SignInRequest, UserSession } from './schemas.ts';
import { requireSession, sessionHours, signOut } from './sessions.ts';
import { createSignInLink, isSignInLink, signIn } from './sign-in.ts';
import { foreignPage, pageHeaders, signInPage, spentPage } from './sign-in-page.ts';

const page = (status: number, body: string): Answer => ({ status, body, headers: pageHeaders });
const html = (description: string) => ({ description, type: 'text/html' });
const Token = Text(2048, { description: 'From the sign-in link.' });
const open = { tag: 'Sessions', access: 'anyone', scope: null } as const;

/** Login CSRF: only our own page may send the form. Browsers tell; other clients hold nothing to protect. */
function isForeign(request: FastifyRequest): boolean {
  const site = request.headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

export const sessionRoutes = [
  route({
    method: 'POST',
    path: '/user/session/{LoginID}',
    name: 'createSignInLink',
    summary: 'Make a link that signs a user in, once',
    tag: 'Sessions',
    access: 'tenant',
    scope: 'users:write',
    params: Type.Object({ LoginID }),
    body: SignInRequest,
    answers: { 201: { description: 'Send the browser of the user there.', schema: SignInLink } },
    events: [],
    handle: async (ctx, { params, body }) => ({
      status: 201,
      body: await createSignInLink(ctx, { ...body, loginId: params.LoginID }),
    }),
  }),
  route({
    ...open,
    method: 'GET',
    path: '/session/sign-in',
    name: 'openSignInLink',
    summary: 'The page of a sign-in link; opening it uses nothing up',
    query: Type.Object({ token: Type.Optional(Token) }),
    answers: { 200: html('A page with one button.'), 410: html('The link does not work any more.') },
    handle: async (ctx, { query: { token } }) =>
      token !== undefined && (await isSignInLink(ctx, token))
        ? page(200, signInPage(token))
        : page(410, spentPage),
  }),
  route({
    ...open,
    method: 'POST',
    path: '/session/sign-in',
    name: 'signIn',
    summary: 'Use a sign-in link: the button of its page',
    forms: true,
    body: Fields({ token: Token }),
    answers: {
      303: { description: 'Signed in: a session cookie, and on to the page.' },
      403: html('The form came from another site.'),
      410: html('The link does not work any more.'),
    },
    events: [],
    handle: async (ctx, { body, request }) => {
      if (isForeign(request)) return page(403, foreignPage);
      const userAgent = request.headers['user-agent']?.slice(0, 500) ?? null;
      const session = await signIn(ctx, { token: body.token, userAgent });
      if (!session) return page(410, spentPage);
      return {
        status: 303,
        headers: {
          Location: session.path,
          'Cache-Control': 'no-store',
          'Set-Cookie': sessionCookie(ctx, session.token, sessionHours * 3600),
        },
      };
    },
  }),
  route({
    ...open,
    method: 'GET',
    path: '/session',
    name: 'readSession',
    summary: 'Who is signed in, by the session cookie',
    answers: { 200: { description: 'The user and the session.', schema: UserSession } },
    handle: async (ctx, { request }) => ok((await requireSession(ctx, request.headers.cookie)).session),
  }),
  route({
    ...open,
    method: 'DELETE',
    path: '/session',
    name: 'signOut',
    summary: 'Sign out',
    query: Fields({
      everywhere: Type.Optional(Type.Boolean({ description: 'True: on all devices of the user.' })),
    }),
    answers: { 204: { description: 'Signed out, or nobody was signed in.' } },
    events: [],
    handle: async (ctx, { query, request }) => {
      await signOut(ctx, { cookies: request.headers.cookie, everywhere: query.everywhere ?? false });
      return { status: 204, headers: { 'Set-Cookie': sessionCookie(ctx, '', 0) } };
    },
  }),
];
