import Type from 'typebox';
import { actorKinds } from '../../platform/context.ts';
import { Address, Fields, Instant, Nullable, OneOf, Text } from '../../platform/schema.ts';
import { CourseID, DurationID } from '../catalogue/schemas.ts';
import { LoginID } from '../users/schemas.ts';
import { statuses } from './states.ts';

export const EnrollID = Type.String({ maxLength: 64, description: 'Identifies an enrolment. Opaque.' });

export const completions = ['unknown', 'incomplete', 'completed'] as const;
export const successes = ['unknown', 'passed', 'failed'] as const;

const Reference = Nullable(
  Text(255, { description: "The client's own reference, such as an order number." }),
);

const Metadata = Type.Record(Type.String({ pattern: '^[^\\u0000\\uD800-\\uDFFF]{1,40}$' }), Text(500), {
  maxProperties: 20,
  additionalProperties: false,
  description: 'Up to 20 texts of the client’s own.',
});

/** Without the pattern of names: the serializer compiles it without the flag `u`, and would drop names with emoji. */
const StoredMetadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Up to 20 texts of the client’s own.',
});

const Completion = OneOf(completions);
const Success = OneOf(successes);
const Score = Nullable(
  Type.Number({ minimum: 0, maximum: 100, description: '0–100; null: none was given.' }),
);

const overriding = {
  Completion,
  Success,
  Score,
  Reason: Text(1000, { minLength: 1, description: 'Why the result was decided. Required.' }),
};

type OverrideRequest = {
  Completion?: Type.Static<typeof Completion>;
  Success?: Type.Static<typeof Success>;
  Score?: number | null;
  Reason: string;
};

/** What an administrator decides. At least one part of the result is in it. */
const OverrideRequest = Type.Unsafe<OverrideRequest | null>({
  type: ['object', 'null'],
  description:
    'An administrative result: what it has counts instead of what the course recorded, now and later; null removes it.',
  additionalProperties: false,
  required: ['Reason'],
  minProperties: 2,
  examples: [{ Success: 'passed', Reason: 'Passed the practical exam.' }],
  properties: overriding,
});

const Override = Type.Unsafe<(OverrideRequest & { At: string }) | null>({
  type: ['object', 'null'],
  description: 'The administrative result that counts instead of the recorded one; null: there is none.',
  additionalProperties: false,
  required: ['Reason', 'At'],
  properties: { ...overriding, At: Instant('When it was decided.') },
});

export const Enrolment = Fields(
  {
    EnrollID,
    LoginID,
    CourseID,
    DurationID,
    CourseTitle: Text(500),
    Status: OneOf(statuses),
    Completion,
    Success,
    Score,
    Override,
    Recorded: Fields(
      { Completion, Success, Score },
      { description: 'What the course recorded, whether or not an override counts instead.' },
    ),
    Progress: Type.Number({ description: '0–100.' }),
    TotalSeconds: Type.Number({ description: 'Time spent in the course.' }),
    EnrolledAt: Instant(),
    StartedAt: Nullable(Instant()),
    LastAccessedAt: Nullable(Instant()),
    CompletedAt: Nullable(Instant()),
    ExpiresAt: Nullable(Instant('When access ends; null: never.')),
    Launches: Type.Integer(),
    Reference,
    Metadata: StoredMetadata,
    LaunchURL: Nullable(
      Address(
        'Starts the course for the user. Append &returnURL= and an address to have the learner brought back there. Null for a key without the scope enrolments:launch.',
      ),
    ),
  },
  { title: 'Enrolment' },
);
export type Enrolment = Type.Static<typeof Enrolment>;

export const EnrolRequest = Fields(
  {
    IfEnrolled: Type.Optional(
      OneOf(['return', 'extend', 'renew', 'fail'], {
        description:
          "What happens to a current enrolment. return (default): it is answered. extend: the option's duration is added to the later of now and its ExpiresAt; an expired one is led back, and what is sent of Reference and Metadata replaces its own. renew: it is ended and a new one begun. fail: 409 already_enrolled. Send an Idempotency-Key with extend and renew, so that a retry does not do it twice.",
      }),
    ),
    Reference: Type.Optional(Reference),
    Metadata: Type.Optional(Metadata),
  },
  { title: 'EnrolRequest' },
);
export type EnrolRequest = Type.Static<typeof EnrolRequest>;

export const EnrolmentChange = Fields(
  {
    ExpiresAt: Type.Optional(Nullable(Instant('Moves the end of access; null: never ends.'))),
    Withdrawn: Type.Optional(Type.Boolean({ description: 'true ends access, false leads back.' })),
    Reference: Type.Optional(Reference),
    Metadata: Type.Optional(Metadata),
    Override: Type.Optional(OverrideRequest),
  },
  { title: 'EnrolmentChange' },
);
export type EnrolmentChange = Type.Static<typeof EnrolmentChange>;

export const ruleCodes = [
  'user_enabled',
  'not_withdrawn',
  'not_expired',
  'course_available',
  'course_playable',
] as const;

export const Explanation = Fields(
  {
    EnrollID,
    LoginID,
    CourseID,
    MayLaunch: Type.Boolean({
      description: 'True when every rule passes; a click is decided by the same rules.',
    }),
    Rules: Type.Array(
      Fields({
        Rule: OneOf(ruleCodes),
        Passed: Type.Boolean(),
        Detail: Type.String({ description: 'What holds, or what to do.' }),
      }),
      { description: 'In the order in which they are asked.' },
    ),
  },
  { title: 'Explanation' },
);
export type Explanation = Type.Static<typeof Explanation>;

export const TimelineEntry = Fields(
  {
    At: Instant(),
    Kind: OneOf(['launch', 'commit', 'event']),
    Type: Nullable(Type.String({ description: 'Of an event: its type.' })),
    Launch: Nullable(
      Type.Integer({
        description:
          'Number of the launch; null for a commit whose launch is no longer on record, for example after a restored backup.',
      }),
    ),
    Commit: Nullable(Type.Integer({ description: 'Number of the commit.' })),
    UnitID: Nullable(Type.String()),
    Data: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
    Warnings: Type.Array(Type.String()),
    Refused: Nullable(
      Type.String({
        description:
          'Code with which a commit was refused; its result in `Data` does not count. Null for everything else.',
      }),
    ),
    Actor: Nullable(
      OneOf(actorKinds, {
        description: 'Who changed the enrolment by hand, as in GET /audit; null: nobody did.',
      }),
    ),
    ActorName: Nullable(
      Type.String({ description: 'LoginID of the administrator or name of the key; learners are not told.' }),
    ),
  },
  { title: 'TimelineEntry' },
);
export type TimelineEntry = Type.Static<typeof TimelineEntry>;
