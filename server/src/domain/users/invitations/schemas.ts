import Type from 'typebox';
import { Address, Fields, Instant, Notify, Nullable, OneOf } from '../../../http/validation/schema.ts';
import { LoginID } from '../schemas.ts';

export const InvitationID = Type.String({ format: 'uuid', description: 'Opaque.' });

export const invitationStatuses = ['pending', 'accepted', 'expired', 'revoked'] as const;

export const Invitation = Fields(
  {
    InvitationID,
    LoginID,
    Status: OneOf(invitationStatuses, {
      title: 'InvitationStatus',
      description:
        '`revoked`: revoked with DELETE, or because the user got a new password or was disabled, or because the tenant was suspended. A newer invitation replaces this one.',
    }),
    CreatedAt: Instant(),
    ExpiresAt: Instant('Seven days after it was created.'),
    AcceptedAt: Nullable(Instant('When the user set a password with it.')),
  },
  {
    title: 'Invitation',
    description: 'Lets a user set a password on a page of this service and signs them in.',
  },
);
export type Invitation = Type.Static<typeof Invitation>;

export const InvitationRequest = Fields({ LoginID, Notify }, { title: 'InvitationRequest' });
export type InvitationRequest = Type.Static<typeof InvitationRequest>;

const InvitationURL = Address(
  'Send it to the user. It can be used once. It is not stored and cannot be read again.',
);

export const NewInvitation = Fields(
  {
    ...Invitation.properties,
    InvitationURL,
    MailID: Nullable(
      Type.String({
        format: 'uuid',
        description:
          "The email with the link, listed by `GET /mail`. null if the service sends no email, `Notify` is false, or the user's `Email` is not an email address or has bounced.",
      }),
    ),
  },
  { title: 'NewInvitation', description: 'An invitation with its first link.' },
);
export type NewInvitation = Type.Static<typeof NewInvitation>;

export const InvitationLink = Fields(
  { InvitationURL, ExpiresAt: Invitation.properties.ExpiresAt },
  { title: 'InvitationLink' },
);
export type InvitationLink = Type.Static<typeof InvitationLink>;
