import type { FastifyRequest } from 'fastify';
import { ok, route } from '../../http/routes.ts';
import type { Context } from '../../infra/context/context.ts';
import { browserOf } from './cookie.ts';
import { crossSite, isCrossSite } from './same-origin.ts';
import {
  InvitationAcceptance,
  InvitationToken,
  OpenInvitation,
  OwnPasswordChange,
  PasswordForgotten,
  Session,
} from './schemas.ts';
import { signedIn, signedOut, wholeSessionOf } from './sessions.ts';
import {
  acceptInvitation,
  changeOwnPassword,
  forgetPassword,
  readOpenInvitation,
  readOpenReset,
  resetPassword,
} from './set-password.ts';

const open = { tag: 'Sessions', access: 'anyone', scope: null } as const;

async function requireSession(ctx: Context, request: FastifyRequest) {
  const found = await wholeSessionOf(ctx, request);
  if (!found) throw signedOut();
  return found;
}

/** Called by our own pages where users set their passwords. */
export const passwordRoutes = [
  route('POST /session/invitation/check', 'readOpenInvitation', {
    ...open,
    summary: 'Read the invitation behind a link',
    description: "Called by the link's page. Does not use up the link.",
    body: InvitationToken,
    responses: { 200: { description: 'The link can be used.', schema: OpenInvitation } },
    problems: ['cross_site', 'invitation_ended'],
    events: [],
    handle: async (ctx, { body, request }) => {
      if (isCrossSite(request)) throw crossSite();
      return ok(await readOpenInvitation(ctx, { token: body.Token }));
    },
  }),
  route('POST /session/invitation', 'acceptInvitation', {
    ...open,
    summary: 'Accept an invitation: set a password and sign in',
    description:
      "Called by the link's page, which hashes the password first. The link cannot be used again, and the user's other sessions end.",
    body: InvitationAcceptance,
    responses: { 200: { description: 'Signed in: the session and its cookie.', schema: Session } },
    problems: ['cross_site', 'invitation_ended', 'password_not_hashed', 'signed_out'],
    events: ['invitation.accepted', 'user.updated'],
    audits: ['sign_in.succeeded', 'sign_in.failed', 'user.access_changed'],
    handle: async (ctx, { body, request }) => {
      if (isCrossSite(request)) throw crossSite();
      const input = { token: body.Token, password: body.Password, ...browserOf(request) };
      return signedIn(ctx, await (await acceptInvitation(ctx, input))());
    },
  }),
  route('POST /session/reset', 'forgetPassword', {
    ...open,
    summary: 'Email a link to a user who forgot their password',
    description:
      'The response is the same whether or not the user exists. Users get a link if they can sign in with a password and have an email address.',
    body: PasswordForgotten,
    responses: { 204: { description: 'If the user can reset the password, an email is on its way.' } },
    problems: ['cross_site', 'mail_not_configured', 'login_throttled'],
    events: [],
    audits: ['password_reset.requested'],
    handle: async (ctx, { body, request }) => {
      if (isCrossSite(request)) throw crossSite();
      await forgetPassword(ctx, body);
      return { status: 204 };
    },
  }),
  route('POST /session/reset/check', 'readOpenReset', {
    ...open,
    summary: 'Read the password reset behind a link',
    description: "Called by the link's page. Does not use up the link.",
    body: InvitationToken,
    responses: { 200: { description: 'The link can be used.', schema: OpenInvitation } },
    problems: ['cross_site', 'reset_ended'],
    events: [],
    handle: async (ctx, { body, request }) => {
      if (isCrossSite(request)) throw crossSite();
      return ok(await readOpenReset(ctx, { token: body.Token }));
    },
  }),
  route('PUT /session/reset', 'resetPassword', {
    ...open,
    summary: 'Reset a password and sign in',
    description:
      "Called by the link's page, which hashes the password first. All of the user's links stop working, and their other sessions end.",
    body: InvitationAcceptance,
    responses: { 200: { description: 'Signed in: the session and its cookie.', schema: Session } },
    problems: ['cross_site', 'reset_ended', 'password_not_hashed', 'signed_out'],
    events: ['user.updated'],
    audits: ['sign_in.succeeded', 'sign_in.failed', 'user.access_changed'],
    handle: async (ctx, { body, request }) => {
      if (isCrossSite(request)) throw crossSite();
      const input = { token: body.Token, password: body.Password, ...browserOf(request) };
      return signedIn(ctx, await (await resetPassword(ctx, input))());
    },
  }),
  route('PUT /session/password', 'changeOwnPassword', {
    ...open,
    summary: 'Change your own password',
    description:
      'For users who are signed in to a page of this service, which hashes both passwords. Their other sessions end.',
    body: OwnPasswordChange,
    responses: { 204: { description: 'The password has been changed.' } },
    problems: [
      'cross_site',
      'signed_out',
      'session_ambiguous',
      'tenant_suspended',
      'passkey_required',
      'password_wrong',
      'password_not_hashed',
      'login_throttled',
    ],
    events: ['user.updated'],
    audits: ['user.access_changed', 'sign_in.failed'],
    handle: async (ctx, { body, request }) => {
      const own = await requireSession(ctx, request);
      const input = { oldPassword: body.OldPassword, password: body.Password };
      const change = await changeOwnPassword(ctx, own, input);
      await change();
      return { status: 204 };
    },
  }),
];
