import Type from 'typebox';
import { Fields, Instant, Nullable, OneOf, Text } from '../../platform/http/schema.ts';
import { bounceKinds, mailKinds, mailStatuses } from './kinds.ts';

export const MailID = Type.String({ format: 'uuid', description: 'Opaque.' });

export const Mail = Fields(
  {
    MailID,
    LoginID: Text(255, { description: 'The recipient.' }),
    Kind: OneOf(mailKinds),
    Address: Text(320, { description: "The user's `Email` when it was queued." }),
    Status: OneOf(mailStatuses, {
      description:
        '`queued`: it will be sent, or tried again. `sent`: the mail server accepted it. `failed`: the mail server rejected it or was unavailable for 72 hours, or the link expired. `cancelled`: its link was used, replaced or revoked before it was sent, its enrolment was completed, ended or extended, its report was deleted, or its address bounced. `bounced`: the mail provider reported afterwards that it could not deliver the email.',
    }),
    Attempts: Type.Integer({ minimum: 0 }),
    Answer: Nullable(
      Text(500, {
        description: "The mail server's last response; null if there was none.",
      }),
    ),
    CreatedAt: Instant(),
    AttemptedAt: Nullable(Instant('The last attempt.')),
    NextAttemptAt: Nullable(Instant('When a queued email is sent or retried next.')),
    BouncedAt: Nullable(Instant('When the bounce was reported.')),
    BounceKind: Nullable(
      OneOf(bounceKinds, { description: '`permanent`: no further email is sent to this address.' }),
    ),
    BounceReason: Nullable(Text(500, { description: 'The reason, as reported.' })),
  },
  { title: 'Mail', description: 'An email to a user. It is kept for 90 days, without its text.' },
);
export type Mail = Type.Static<typeof Mail>;
