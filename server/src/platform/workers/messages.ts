import type { Answers, Question, Spent } from './workers.ts';

type Answer = Answers[Question] | null;

/** `asked`: the number of the question, chosen by its sender. */
export type ToWorker =
  | { kind: 'stop' }
  | { kind: 'ask'; asked: number; question: Question }
  | { kind: 'answers'; asked: number; answers: Answer[] }
  | { kind: 'spent'; spent: Spent };

/** `failed`: the worker could not start, with the reason for the operator. */
export type FromWorker =
  | { kind: 'serving' }
  | { kind: 'failed'; reason: string }
  | { kind: 'ask'; asked: number; question: Question }
  | { kind: 'answer'; asked: number; answer: Answer }
  | { kind: 'spent'; spent: Spent };
