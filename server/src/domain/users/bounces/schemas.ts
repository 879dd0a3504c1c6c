import Type from 'typebox';
import { Fields, Nullable, OneOf, Text } from '../../../http/validation/schema.ts';
import { bounceKinds } from '../../mail/kinds.ts';

export const BounceReport = Fields(
  {
    MessageID: Type.Optional(
      Text(320, {
        minLength: 1,
        examples: ['<01994a5e-7c00-7000-8000-000000000008@lectern.example>'],
        description:
          'The Message-ID header of the email, with or without angle brackets, or its `MailID`. An operator who sends it needs no `Tenant` header.',
      }),
    ),
    EmailAddress: Type.Optional(
      Text(320, {
        minLength: 1,
        examples: ['ada@example.com'],
        description:
          'The address that bounced, case-insensitive. If there is no `MessageID`, or no email with it, the bounce is recorded for the newest email to this address.',
      }),
    ),
    Kind: OneOf(bounceKinds, {
      title: 'BounceKind',
      description:
        '`permanent`: a hard bounce, for example because the address does not exist. `temporary`: a soft bounce, for example because the mailbox is full.',
    }),
    Reason: Type.Optional(
      Nullable(
        Text(4000, {
          examples: ['550 5.1.1 The email account does not exist'],
          description: 'Such as the diagnostic code. The first 500 characters are stored.',
        }),
      ),
    ),
  },
  { title: 'BounceReport' },
);
export type BounceReport = Type.Static<typeof BounceReport>;

export const RecordedBounce = Fields(
  {
    MailID: Nullable(
      Type.String({
        format: 'uuid',
        description: 'The email that bounced; null if the service has no email to this address.',
      }),
    ),
    Users: Type.Integer({
      minimum: 0,
      description:
        'The number of users with this address, counted up to 200. They get no more emails from the service. 0 after a temporary bounce.',
    }),
  },
  { title: 'RecordedBounce' },
);
export type RecordedBounce = Type.Static<typeof RecordedBounce>;
