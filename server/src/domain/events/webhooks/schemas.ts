import Type from 'typebox';
import { pageQuery } from '../../../http/pagination.ts';
import { Address, Fields, Instant, Nullable, OneOf, Text } from '../../../http/validation/schema.ts';
import type { Event } from '../schemas.ts';

const Types = Type.Unsafe<string[] | null>({
  type: ['array', 'null'],
  items: { type: 'string', maxLength: 100 },
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  description: 'Event types to send; null means all. Null if `Kind` is `xapi` or `results`.',
});
const Status = OneOf(['enabled', 'disabled'], {
  title: 'WebhookStatus',
  description:
    'Once enabled again, the endpoint continues where it stopped and receives the events that it missed.',
});

const newKinds = ['events', 'xapi', 'results'] as const;
const webhookKinds = [...newKinds, 'lti'] as const;
export type WebhookKind = (typeof webhookKinds)[number];
const kinds =
  '`events` (default): your application receives events. `xapi`: another learning record store (LRS) receives the statements stored here, in the order in which they were stored. `results`: a learning suite receives an xAPI statement for each course completed, passed or failed.';
const NewKind = OneOf(newKinds, { title: 'NewWebhookKind', description: kinds });
const Kind = OneOf(webhookKinds, {
  title: 'WebhookKind',
  description: `${kinds} \`lti\`: a learning platform receives scores; WebhookID is its PlatformID.`,
});

/** RFC 7617: a user name has no colon. */
const Username = Nullable(
  Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: '^[^:\\u0000-\\u001F\\u007F\\uD800-\\uDFFF]+$',
    description:
      'User name for the LRS or the suite (HTTP Basic) or, with a TokenURL, the client ID. Required if `Kind` is `xapi` or `results`, otherwise null.',
  }),
);
const Password = Text(1_024, {
  minLength: 1,
  description:
    'Password for the LRS or the suite or, with a TokenURL, the client secret. It is stored encrypted and never shown.',
});
const authorization = {
  TokenURL: Nullable(
    Address(
      'The URL that gives access tokens for the client ID and secret (OAuth 2.0 client credentials); null means HTTP Basic. Only if `Kind` is `xapi` or `results`.',
    ),
  ),
  Scope: Nullable(
    Text(1_000, {
      minLength: 1,
      examples: ['xapi:write'],
      description: 'The scopes to request with the token. Only with a TokenURL.',
    }),
  ),
  Actor: Nullable(
    OneOf(['email', 'account'], {
      description:
        'How statements name the learner. `email` (default): by `mbox`; results of people without an email address are not sent, and their deliveries say so. `account`: by LoginID. Null unless `Kind` is `results`.',
    }),
  ),
};

const common = {
  URL: Address(
    'The URL to which events are sent with POST, or the endpoint of the LRS, to which `/statements` is added. It must be an https URL on the public internet.',
  ),
  Types,
  Description: Nullable(Text(1_000)),
  Status,
};

export const Webhook = Fields(
  {
    WebhookID: Type.String(),
    Kind,
    Username,
    ...authorization,
    ...common,
    DisabledReason: Nullable(
      OneOf(['failing', 'client'], {
        description:
          'Why the endpoint is disabled. `failing`: no delivery succeeded for 72 hours. `client`: it was disabled with `PUT`.',
      }),
    ),
    FailingSince: Nullable(Instant('The first failure since the last success.')),
    CreatedAt: Instant(),
    UpdatedAt: Instant(),
  },
  { title: 'Webhook', description: "A client's endpoint for events, or another LRS." },
);
export type Webhook = Type.Static<typeof Webhook>;

export const WebhookWithSecret = Fields(
  {
    ...Webhook.properties,
    Secret: Type.String({ description: 'For verifying signatures (Standard Webhooks). Shown only once.' }),
    PreviousSecretUntil: Nullable(
      Instant('Until this time, deliveries are also signed with the previous secret.'),
    ),
  },
  { title: 'WebhookWithSecret' },
);
export type WebhookWithSecret = Type.Static<typeof WebhookWithSecret>;

export const WebhookChange = Type.Partial(Fields({ ...common, Username, Password, ...authorization }), {
  additionalProperties: false,
  title: 'WebhookChange',
});
export type WebhookChange = Type.Static<typeof WebhookChange>;

export const NewWebhook = Fields(
  {
    Kind: Type.Optional(NewKind),
    URL: common.URL,
    Username: Type.Optional(Username),
    Password: Type.Optional(Password),
    TokenURL: Type.Optional(authorization.TokenURL),
    Scope: Type.Optional(authorization.Scope),
    Actor: Type.Optional(authorization.Actor),
    Types: Type.Optional(common.Types),
    Description: Type.Optional(common.Description),
    Status: Type.Optional(common.Status),
  },
  { title: 'NewWebhook' },
);
export type NewWebhook = Type.Static<typeof NewWebhook>;

export const Rotation = Fields(
  {
    OverlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        description: 'How long deliveries are signed with both secrets. Default: one day.',
      }),
    ),
  },
  { title: 'Rotation' },
);

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;

export const Delivery = Fields(
  {
    DeliveryID: Type.String(),
    EventID: Type.String({ description: 'The event, or the first statement.' }),
    Type: Type.String({
      description:
        'Type of the event; `webhook.ping` for a ping, which is not in the log; `xapi.statements` for statements.',
    }),
    StatementIDs: Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: { type: 'string', format: 'uuid' },
      description: 'The statements that are sent together, in order; null for events.',
    }),
    Reason: OneOf(['event', 'replay', 'ping']),
    Status: OneOf(deliveryStatuses, { title: 'DeliveryStatus' }),
    Attempts: Type.Integer(),
    CreatedAt: Instant(),
    AttemptedAt: Nullable(Instant()),
    NextAttemptAt: Nullable(Instant()),
    Request: Type.Unsafe<{ URL: string; Body: unknown } | null>({
      type: ['object', 'null'],
      additionalProperties: false,
      required: ['URL', 'Body'],
      properties: { URL: { type: 'string' }, Body: { type: ['object', 'null'], additionalProperties: true } },
      description:
        'The last request. Its webhook-id is the EventID, and its webhook-timestamp is AttemptedAt. For statements the body is null: read them with `GET /xapi/statements`. For scores and results it is null too: the timeline of the enrolment shows them.',
    }),
    Answer: Type.Unsafe<{ Status: number; Body: string | null } | null>({
      type: ['object', 'null'],
      additionalProperties: false,
      required: ['Status', 'Body'],
      properties: { Status: { type: 'integer' }, Body: { type: ['string', 'null'] } },
      description:
        'The last response with the first 4 kB of its body; null if there was none. Responses from an LRS are kept without their bodies, which may repeat statements.',
    }),
    Error: Nullable(Type.String({ description: 'Why the last attempt failed.' })),
    Milliseconds: Nullable(Type.Integer()),
  },
  {
    title: 'Delivery',
    description:
      'The delivery of one event, or of up to 50 statements, to one endpoint. Deliveries are kept for 30 days.',
  },
);
export type Delivery = Type.Static<typeof Delivery>;
export type DeliveryBody = Type.Static<typeof Event>;

export const deliveryQuery = Fields({
  ...pageQuery,
  Status: Type.Optional(OneOf(deliveryStatuses, { title: 'DeliveryStatus' })),
  EnrollID: Type.Optional(
    Type.String({ format: 'uuid', description: 'Only deliveries of events about this enrolment.' }),
  ),
  EventID: Type.Optional(Type.String({ format: 'uuid' })),
});
export type DeliveryQuery = Type.Static<typeof deliveryQuery>;

export const Replay = Fields(
  {
    EventIDs: Type.Optional(
      Type.Array(Type.String({ format: 'uuid' }), {
        minItems: 1,
        maxItems: 1_000,
        uniqueItems: true,
        description: 'Events; if `Kind` is `xapi`, statements.',
      }),
    ),
    From: Type.Optional(Instant('Events that occurred, or statements stored, at or after this time.')),
    Until: Type.Optional(
      Instant('Events that occurred, or statements stored, before this time. Default: now.'),
    ),
  },
  { title: 'Replay', description: 'Either EventIDs, or From and optionally Until.' },
);
export type Replay = Type.Static<typeof Replay>;

export const ReplayResult = Fields(
  {
    Deliveries: Type.Integer({
      description: 'The number of events, or of batches of statements, that will be sent again.',
    }),
  },
  { title: 'ReplayResult' },
);
