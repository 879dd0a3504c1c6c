import type { FromWorker, ToWorker } from './messages.ts';
import type { AnswerFunctions, Answers, Query, Spent, Workers } from './workers.ts';

const send = (message: FromWorker, sent: () => void = () => {}): void => {
  if (process.send) process.send(message, undefined, {}, sent);
  else sent();
};

export const reportServing = (): void => send({ kind: 'serving' });

/** Resolves when the primary has received the reason or has exited. */
export const reportFailure = (reason: string): Promise<void> =>
  new Promise((resolve) => send({ kind: 'failed', reason }, resolve));

/** The primary answers within a second. */
const timeoutMilliseconds = 2_000;

type State = {
  finders: AnswerFunctions;
  queries: number;
  waiting: Map<number, (answers: unknown[]) => void>;
};

/** A worker's view of its node. All communication goes through the primary. */
export function joinWorkers(count: number, onStop: () => void): Workers {
  const state: State = { finders: {}, queries: 0, waiting: new Map() };
  const takers: ((spent: Spent) => void)[] = [];
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'stop') onStop();
    else if (message.kind === 'ask') void reply(state, message);
    else if (message.kind === 'answers') state.waiting.get(message.queryId)?.(message.answers);
    else if (message.kind === 'spent') for (const take of takers) take(message.spent);
  });
  return {
    count,
    answer: (query, find) => {
      Object.assign(state.finders, { [query]: find });
    },
    ask: (query) => ask(state, query),
    share: (spent) => send({ kind: 'spent', spent }),
    onShared: (take) => {
      takers.push(take);
    },
  };
}

async function reply({ finders }: State, { queryId, query }: { queryId: number; query: Query }) {
  const answer = await finders[query]?.().catch(() => null);
  send({ kind: 'answer', queryId, answer: answer ?? null });
}

function ask<Q extends Query>(state: State, query: Q): Promise<(Answers[Q] | null)[]> {
  const queryId = ++state.queries;
  return new Promise((resolve) => {
    const done = (answers: unknown[]) => {
      clearTimeout(late);
      state.waiting.delete(queryId);
      // This cast is safe, because the primary returns only answers to this query.
      resolve(answers as (Answers[Q] | null)[]);
    };
    const late = setTimeout(done, timeoutMilliseconds, []);
    state.waiting.set(queryId, done);
    send({ kind: 'ask', queryId, query });
  });
}
