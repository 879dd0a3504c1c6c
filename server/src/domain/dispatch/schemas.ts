import Type from 'typebox';
import { Fields, Instant, Nullable, OneOf, Text } from '../../http/validation/schema.ts';
import { CourseID } from '../catalogue/schemas.ts';
import { EnrollID } from '../enrolments/record/schemas.ts';
import { LoginID } from '../users/schemas.ts';
import { dispatchStandards } from './package/standards.ts';

const changeable = {
  Name: Text(100, {
    minLength: 1,
    description: 'Who receives the course; shown in the console.',
    examples: ['Acme'],
  }),
  Seats: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'How many learners may open the course; null: any number. Nobody loses a seat.',
    }),
  ),
  Release: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description:
        'The release that learners play who open the course from now on; null: the current one of that time. A started attempt keeps its release.',
      examples: [1],
    }),
  ),
  EndsAt: Nullable(Instant('Until when the course can be opened; null: no end.')),
  Enabled: Type.Boolean({ description: '`false` stops all packages of the dispatch immediately.' }),
};

const chosen = {
  CourseID,
  DurationID: Text(255, { description: 'The enrolment option, with its seats, duration and rules.' }),
  Standard: OneOf(dispatchStandards, {
    title: 'DispatchStandard',
    description: 'The standard of the package, which the receiving LMS must support.',
  }),
};

export const dispatchParams = Type.Object({ DispatchID: Text(255) });

export const Dispatch = Fields(
  {
    DispatchID: Type.String({ format: 'uuid', description: 'Opaque.' }),
    ...chosen,
    ...changeable,
    SeatsTaken: Type.Integer({ description: 'Learners who have opened the course.' }),
    CreatedAt: Instant(),
    UpdatedAt: Instant(),
  },
  {
    title: 'Dispatch',
    description:
      'A course that another organisation plays in its own LMS, from a small package that it imports there.',
  },
);
export type Dispatch = Type.Static<typeof Dispatch>;

export const NewDispatch = Fields(
  {
    ...chosen,
    Name: Type.Optional(changeable.Name),
    Seats: Type.Optional(changeable.Seats),
    Release: Type.Optional(changeable.Release),
    EndsAt: Type.Optional(changeable.EndsAt),
    Enabled: Type.Optional(changeable.Enabled),
  },
  { title: 'NewDispatch' },
);
export type NewDispatch = Type.Static<typeof NewDispatch>;

export const DispatchChange = Fields(Type.Partial(Type.Object(changeable)).properties, {
  title: 'DispatchChange',
});
export type DispatchChange = Type.Static<typeof DispatchChange>;

export const DispatchLearner = Fields(
  {
    LoginID,
    EnrollID,
    FirstOpenedAt: Instant(),
    LastOpenedAt: Instant(),
  },
  { title: 'DispatchLearner', description: 'A learner in the receiving LMS who has opened the course.' },
);
export type DispatchLearner = Type.Static<typeof DispatchLearner>;

/** Sent by the page of a package. */
export const OpenForm = Type.Object(
  {
    key: Type.String({ description: 'Identifies the dispatch; from the package.' }),
    learner: Type.String({ description: "The learner's ID in the receiving LMS." }),
    first: Type.Optional(Type.String({ description: 'Their first name.' })),
    last: Type.Optional(Type.String({ description: 'Their last name.' })),
    back: Type.Optional(Type.String({ description: 'The page of the package that the player returns to.' })),
  },
  { additionalProperties: true, title: 'DispatchOpenForm' },
);

/** The result so far, which the receiving LMS may not have yet. */
const Result = Fields({
  Completion: OneOf(['unknown', 'incomplete', 'completed'], { title: 'CompletionStatus' }),
  Success: OneOf(['unknown', 'passed', 'failed'], { title: 'SuccessStatus' }),
  Score: Nullable(Type.Number({ minimum: 0, maximum: 100 })),
  Progress: Type.Number({ minimum: 0, maximum: 100 }),
});

export const OpenedDispatch = Fields(
  {
    PlayerURL: Nullable(Type.String({ description: 'Opens the player in a frame; null if it is refused.' })),
    Title: Type.String({ description: 'Why it is refused, in the language of the browser; else empty.' }),
    Text: Type.String({ description: 'What the learner can do.' }),
    Result: Nullable(Result),
  },
  { title: 'OpenedDispatch' },
);
export type OpenedDispatch = Type.Static<typeof OpenedDispatch>;
