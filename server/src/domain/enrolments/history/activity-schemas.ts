import Type from 'typebox';
import { Fields, Instant, Nullable, OneOf, Text } from '../../../http/validation/schema.ts';
import { LoginID } from '../../users/schemas.ts';
import { completions, EnrollID, successes } from '../record/schemas.ts';

const Written = (description: string, example: string) =>
  Nullable(Type.String({ description, examples: [example] }));

const interactionFields = {
  Number: Type.Integer({ description: 'Position in the unit, counted from 0.', examples: [0] }),
  InteractionID: Type.String({
    description: 'ID that the content gives the question.',
    examples: ['question-1'],
  }),
  Type: Written('The kind of question, such as choice or true-false.', 'choice'),
  Description: Written('The question, if the content sent it (SCORM 2004).', 'What do you do first?'),
  Time: Written(
    'When the question was answered, as recorded by the content. In SCORM 1.2, this is only a time of day.',
    '2026-01-31T09:00:00Z',
  ),
  Response: Written("The learner's answer, in the format for this type of question.", 'a'),
  CorrectResponses: Type.Array(Type.String(), {
    description: 'The correct answers, in the same format.',
    examples: [['b']],
  }),
  Result: Written('correct, incorrect, neutral, unanticipated, or a number.', 'incorrect'),
  Weighting: Nullable(Type.Number({ description: 'Relative weight of the question.' })),
  LatencySeconds: Nullable(
    Type.Number({ description: 'How long the learner took to answer.', examples: [12.5] }),
  ),
  ObjectiveIDs: Type.Array(Type.String(), {
    description: 'The objectives that the question belongs to.',
    examples: [['exits']],
  }),
};

const Completion = OneOf(completions, { title: 'CompletionStatus' });
const Success = OneOf(successes, { title: 'SuccessStatus' });
const Score = Nullable(Type.Number({ minimum: 0, maximum: 100, description: '0–100.' }));

export const UnitActivity = Fields(
  {
    UnitID: Type.String(),
    Title: Nullable(Text(4096, { description: 'null if the release no longer has the unit.' })),
    Attempts: Nullable(
      Type.Integer({ description: 'Attempts on the unit; null if its standard does not count them.' }),
    ),
    Launch: Type.Integer({ description: 'Number of the launch that stored the data.' }),
    UpdatedAt: Instant('When a commit last reported on this unit.'),
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
      { description: 'The objectives, as the content last recorded them in the attempt.' },
    ),
    Interactions: Type.Array(Fields(interactionFields), {
      description: 'The interactions, as the content last recorded them in the attempt.',
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
    Correct: Count('Number of correct answers.', 30),
    Incorrect: Count(
      'Number of incorrect answers. The results of the other answers are neutral, unanticipated or numeric.',
      10,
    ),
    Timed: Count('Number of answers with a recorded latency.', 40),
    LatencySeconds: Nullable(
      Type.Number({
        description: 'Average time that the learners took for these answers.',
        examples: [12.5],
      }),
    ),
    Responses: Type.Array(
      Fields({
        Response: Type.String({
          description: 'The answer, in the format for this type of question.',
          examples: ['a'],
        }),
        Answers: Count('How often this answer was given.', 30),
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
      Type.String({ description: 'Send this as Cursor to continue; null if all answers have been counted.' }),
    ),
  },
  { title: 'CourseQuestions' },
);
export type CourseQuestions = Type.Static<typeof CourseQuestions>;
