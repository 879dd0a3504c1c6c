import Type from 'typebox';
import { Fields, Instant, Nullable, OneOf, Text } from '../../platform/http/schema.ts';
import { LoginID } from '../users/schemas.ts';
import { completions, EnrollID, successes } from './schemas.ts';

const Written = (description: string, example: string) =>
  Nullable(Type.String({ description, examples: [example] }));

const interactionFields = {
  Number: Type.Integer({ description: 'Position in the unit, counted from 0.', examples: [0] }),
  InteractionID: Type.String({
    description: "The content's name for the question.",
    examples: ['question-1'],
  }),
  Type: Written('The kind of question, such as choice or true-false.', 'choice'),
  Description: Written('The question, if the content sent it (SCORM 2004).', 'What do you do first?'),
  Time: Written(
    'When it was answered, as recorded by the content: a time of day in SCORM 1.2.',
    '2026-01-31T09:00:00Z',
  ),
  Response: Written("The learner's answer, in the format of its type.", 'a'),
  CorrectResponses: Type.Array(Type.String(), {
    description: 'The correct answers, in the same format.',
    examples: [['b']],
  }),
  Result: Written('correct, incorrect, neutral, unanticipated, or a number.', 'incorrect'),
  Weighting: Nullable(Type.Number({ description: 'How much the question counts.' })),
  LatencySeconds: Nullable(
    Type.Number({ description: 'How long the learner took to answer.', examples: [12.5] }),
  ),
  ObjectiveIDs: Type.Array(Type.String(), {
    description: 'The objectives that the question belongs to.',
    examples: [['exits']],
  }),
};

const Completion = OneOf(completions);
const Success = OneOf(successes);
const Score = Nullable(Type.Number({ minimum: 0, maximum: 100, description: '0–100.' }));

export const UnitActivity = Fields(
  {
    UnitID: Type.String(),
    Title: Nullable(Text(4096, { description: 'null if the release no longer has the unit.' })),
    Attempts: Nullable(
      Type.Integer({ description: 'Attempts on the unit; null if its standard does not count them.' }),
    ),
    Launch: Type.Integer({ description: 'Number of the launch that stored the data.' }),
    UpdatedAt: Instant('When a commit last reported this unit.'),
    Completion,
    Success,
    Score,
    Progress: Type.Number({ description: '0–100.' }),
    TotalSeconds: Type.Number(),
    Objectives: Type.Array(
      Fields({
        ObjectiveID: Type.String({ examples: ['exits'] }),
        Description: Written('Description of the objective, if the content sent one.', 'Find the exits'),
        Completion,
        Success,
        Score,
      }),
      { description: 'As last recorded by the content in the attempt.' },
    ),
    Interactions: Type.Array(Fields(interactionFields), {
      description: 'As last recorded by the content in the attempt.',
    }),
  },
  { title: 'UnitActivity' },
);
export type UnitActivity = Type.Static<typeof UnitActivity>;

export const CourseInteraction = Fields(
  {
    EnrollID,
    LoginID,
    Attempt: Type.Integer({ minimum: 1, description: 'Number of the attempt.', examples: [1] }),
    UnitID: Type.String(),
    UnitTitle: Nullable(Text(4096, { description: 'null if the release no longer has the unit.' })),
    ...interactionFields,
  },
  { title: 'CourseInteraction' },
);
export type CourseInteraction = Type.Static<typeof CourseInteraction>;

const Count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

export const CourseQuestion = Fields(
  {
    UnitID: Type.String(),
    UnitTitle: Nullable(Text(4096, { description: 'null if the release no longer has the unit.' })),
    InteractionID: interactionFields.InteractionID,
    Type: interactionFields.Type,
    Description: interactionFields.Description,
    CorrectResponses: interactionFields.CorrectResponses,
    Answers: Count('Attempts in which the question was answered.', 40),
    Correct: Count('How many of the answers were correct.', 30),
    Incorrect: Count('How many were incorrect. The rest are neutral, unanticipated or numeric.', 10),
    Timed: Count('How many have a latency.', 40),
    LatencySeconds: Nullable(
      Type.Number({ description: 'How long these answers took on average.', examples: [12.5] }),
    ),
    Responses: Type.Array(
      Fields({
        Response: Type.String({ description: 'The answer, in the format of its type.', examples: ['a'] }),
        Answers: Count('How often it was given.', 30),
      }),
      { description: 'The ten most frequent answers, most frequent first.' },
    ),
  },
  { title: 'CourseQuestion' },
);
export type CourseQuestion = Type.Static<typeof CourseQuestion>;

export const CourseQuestions = Fields(
  {
    Questions: Type.Array(CourseQuestion),
    NextCursor: Nullable(
      Type.String({ description: 'null if all answers have been counted. Otherwise, send it as Cursor.' }),
    ),
  },
  { title: 'CourseQuestions' },
);
export type CourseQuestions = Type.Static<typeof CourseQuestions>;
