import Type from 'typebox';
import { CountedPageOf, countQuery, orderQuery, pageQuery } from '../../../http/pagination.ts';
import { created, ok, path, route } from '../../../http/routes.ts';
import { bulkQuery, bulkResponse, bulkStreams } from '../../../http/rows/bulk.ts';
import { Fields, OneOf } from '../../../http/validation/schema.ts';
import { LoginID } from '../schemas.ts';
import { createInvitationLink, listInvitations, readInvitation, revokeInvitation } from './invitations.ts';
import { inviteInBulk, inviting } from './invite.ts';
import {
  Invitation,
  InvitationID,
  InvitationLink,
  InvitationRequest,
  invitationStatuses,
  NewInvitation,
} from './schemas.ts';

const params = Type.Object({ LoginID });
const common = { tag: 'Invitations', access: 'tenant' } as const;
/** Anyone with the link can set a password, which requires users:admin everywhere. */
const writing = { ...common, scope: 'users:write', additionalScopes: ['users:admin'] } as const;

export const invitationRoutes = [
  route('POST /invitation', 'createInvitation', {
    ...writing,
    summary: 'Invite a user to set a password',
    description:
      "The link opens a page where the user sets a password and is signed in. It works once and for seven days. If `SMTP_URL` is set, the service emails it to the user, unless `Notify` is false. The user's earlier invitation stops working. Invite users who forgot their password in the same way.",
    body: InvitationRequest,
    responses: { 201: { description: 'The invitation with its link.', schema: NewInvitation } },
    problems: ['user_not_found', 'user_disabled'],
    events: ['invitation.created'],
    audits: ['invitation.created'],
    submission: (ctx, { body }) =>
      inviting(ctx, body, (invitation) => created(invitation, path`/invitation/${invitation.LoginID}`)),
  }),
  route('POST /invitation/bulk', 'createInvitations', {
    ...writing,
    summary: 'Invite many users',
    description:
      'Each row is processed like a call to `POST /invitation`. Rows are independent: a rejected row does not affect the others.',
    query: bulkQuery,
    streams: bulkStreams('LoginID, Notify', { LoginID: 'ada' }),
    responses: { 200: bulkResponse },
    events: ['invitation.created'],
    audits: ['invitation.created'],
    handle: (ctx, { query, request }, reply) =>
      inviteInBulk(ctx, { request, reply, body: request.body, plan: query.Plan ?? false }),
  }),
  route('GET /invitation', 'listInvitations', {
    ...common,
    summary: 'List invitations',
    description: "Each user's newest invitation, newest first. The list never contains a link.",
    scope: 'users:read',
    query: Fields({
      ...pageQuery,
      ...orderQuery,
      ...countQuery,
      LoginID: Type.Optional(LoginID),
      Status: Type.Optional(OneOf(invitationStatuses, { title: 'InvitationStatus' })),
    }),
    responses: { 200: { description: 'A page of invitations.', schema: CountedPageOf(Invitation) } },
    handle: async (ctx, { query }) => ok(await listInvitations(ctx, query)),
  }),
  route('GET /invitation/{LoginID}', 'readInvitation', {
    ...common,
    summary: "Read a user's newest invitation",
    description: 'The response never contains a link.',
    scope: 'users:read',
    params,
    responses: { 200: { description: 'The invitation.', schema: Invitation } },
    problems: ['user_not_found', 'invitation_not_found'],
    handle: async (ctx, { params }) => ok(await readInvitation(ctx, { loginId: params.LoginID })),
  }),
  route('DELETE /invitation/{LoginID}', 'revokeInvitation', {
    ...writing,
    summary: "Revoke a user's invitation",
    description:
      'Its links stop working immediately. An invitation that is no longer pending stays as it is.',
    params,
    responses: { 200: { description: 'The invitation.', schema: Invitation } },
    problems: ['user_not_found', 'invitation_not_found'],
    events: [],
    audits: ['invitation.revoked'],
    handle: async (ctx, { params }) => ok(await revokeInvitation(ctx, { loginId: params.LoginID })),
  }),
  route('POST /invitation/{LoginID}/{InvitationID}/link', 'createInvitationLink', {
    ...writing,
    summary: 'Create another link for an invitation',
    description:
      'For an application that delivers invitations: it receives the event `invitation.created`, which contains no link, and requests one here. Up to five links of an invitation work at the same time; using one ends all of them.',
    params: Type.Object({ LoginID, InvitationID }),
    responses: { 201: { description: 'The link.', schema: InvitationLink } },
    problems: ['user_not_found', 'invitation_not_found', 'invitation_ended'],
    events: [],
    audits: ['invitation_link.created'],
    handle: async (ctx, { params }) => ({
      status: 201,
      body: await createInvitationLink(ctx, { loginId: params.LoginID, invitationId: params.InvitationID }),
    }),
  }),
];
