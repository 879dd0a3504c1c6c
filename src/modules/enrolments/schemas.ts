import Type from 'typebox';
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

const Metadata = Type.Record(Type.String({ pattern: '^[^\\u0000\\p{Cs}]{1,40}$' }), Text(500), {
  maxProperties: 20,
  additionalProperties: false,
  description: 'Up to 20 texts of the client’s own.',
});

export const Enrolment = Fields(
  {
    EnrollID,
    LoginID,
    CourseID,
    DurationID,
    CourseTitle: Text(500),
    Status: OneOf(statuses),
    Completion: OneOf(completions),
    Success: OneOf(successes),
    Score: Nullable(Type.Number({ description: '0–100; null: none was given.' })),
    Progress: Type.Number({ description: '0–100.' }),
    TotalSeconds: Type.Number({ description: 'Time spent in the course.' }),
    EnrolledAt: Instant(),
    StartedAt: Nullable(Instant()),
    LastAccessedAt: Nullable(Instant()),
    CompletedAt: Nullable(Instant()),
    ExpiresAt: Nullable(Instant('When access ends; null: never.')),
    Launches: Type.Integer(),
    Reference,
    Metadata,
    LaunchURL: Address(
      'Starts the course for the user. Append &returnURL= and an address to have the learner brought back there.',
    ),
  },
  { title: 'Enrolment' },
);
export type Enrolment = Type.Static<typeof Enrolment>;

export const EnrolRequest = Fields(
  {
    IfEnrolled: Type.Optional(
      OneOf(['return', 'fail'], {
        description: 'return (default): answer the current enrolment. fail: 409 already_enrolled.',
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
    Launch: Nullable(Type.Integer({ description: 'Number of the launch.' })),
    Commit: Nullable(Type.Integer({ description: 'Number of the commit.' })),
    UnitID: Nullable(Type.String()),
    Data: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
    Warnings: Type.Array(Type.String()),
  },
  { title: 'TimelineEntry' },
);
export type TimelineEntry = Type.Static<typeof TimelineEntry>;
