import type { Answers, Query, Spent } from './workers.ts';

type Answer = Answers[Query] | null;

/** `queryId` is chosen by the sender of the query. */
export type ToWorker =
  | { kind: 'stop' }
  | { kind: 'ask'; queryId: number; query: Query }
  | { kind: 'answers'; queryId: number; answers: Answer[] }
  | { kind: 'spent'; spent: Spent };

/** `failed` means that the worker could not start. The reason is shown to the operator. */
export type FromWorker =
  | { kind: 'serving' }
  | { kind: 'failed'; reason: string }
  | { kind: 'ask'; queryId: number; query: Query }
  | { kind: 'answer'; queryId: number; answer: Answer }
  | { kind: 'spent'; spent: Spent };
