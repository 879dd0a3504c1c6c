import Type from 'typebox';
import { Fields, Instant, Nullable, OneOf, Text } from '../../../http/validation/schema.ts';
import { completions, successes } from '../record/schemas.ts';

export const ResetRequest = Fields(
  { Reason: Text(1000, { minLength: 1, description: 'Why the learner starts over. Required.' }) },
  { title: 'ResetRequest' },
);

export const Attempt = Fields(
  {
    Attempt: Type.Integer({ description: 'Counted from 1. A reset does not restart the count.' }),
    StartedAt: Nullable(
      Instant('When the attempt was first launched; null if it has not been launched yet.'),
    ),
    FinishedAt: Nullable(Instant('When the attempt was completed, passed or failed.')),
    EndedAt: Nullable(Instant('When the next attempt replaced this one; null for the current attempt.')),
    EndedBy: Nullable(OneOf(['launch', 'reset'], { description: 'What started the next attempt.' })),
    Reason: Nullable(Type.String({ description: 'Why the attempt was reset.' })),
    Discarded: Type.Boolean({ description: 'true if the attempt was reset and can no longer count.' }),
    Completion: OneOf(completions, { title: 'CompletionStatus' }),
    Success: OneOf(successes, { title: 'SuccessStatus' }),
    Score: Nullable(Type.Number({ minimum: 0, maximum: 100, description: '0–100.' })),
    Progress: Type.Number({ description: '0–100.' }),
    TotalSeconds: Type.Number(),
    Launches: Type.Integer(),
  },
  { title: 'Attempt' },
);
export type Attempt = Type.Static<typeof Attempt>;
