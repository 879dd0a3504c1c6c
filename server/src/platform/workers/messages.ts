import type { Answers, Question, Spent } from './workers.ts';

type Answer = Answers[Question] | null;

/** `questionId` is chosen by the sender of the question. */
export type ToWorker =
  | { kind: 'stop' }
  | { kind: 'ask'; questionId: number; question: Question }
  | { kind: 'answers'; questionId: number; answers: Answer[] }
  | { kind: 'spent'; spent: Spent };

/** `failed` means that the worker could not start. The reason is shown to the operator. */
export type FromWorker =
  | { kind: 'serving' }
  | { kind: 'failed'; reason: string }
  | { kind: 'ask'; questionId: number; question: Question }
  | { kind: 'answer'; questionId: number; answer: Answer }
  | { kind: 'spent'; spent: Spent };
