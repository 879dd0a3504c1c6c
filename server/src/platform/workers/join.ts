import type { FromWorker, ToWorker } from './messages.ts';
import type { Answers, Finders, Question, Spent, Workers } from './workers.ts';

const send = (message: FromWorker, sent: () => void = () => {}): void => {
  if (process.send) process.send(message, undefined, {}, sent);
  else sent();
};

export const reportServing = (): void => send({ kind: 'serving' });

/** Returns once the primary has the reason, or is gone. */
export const reportFailure = (reason: string): Promise<void> =>
  new Promise((resolve) => send({ kind: 'failed', reason }, resolve));

/** The primary answers within a second. */
const timeoutMilliseconds = 2_000;

type State = { finders: Finders; asked: number; waiting: Map<number, (answers: unknown[]) => void> };

/** A worker's view of its node: everything goes through the primary. */
export function joinWorkers(count: number, onStop: () => void): Workers {
  const state: State = { finders: {}, asked: 0, waiting: new Map() };
  const takers: ((spent: Spent) => void)[] = [];
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'stop') onStop();
    else if (message.kind === 'ask') void reply(state, message);
    else if (message.kind === 'answers') state.waiting.get(message.asked)?.(message.answers);
    else if (message.kind === 'spent') for (const take of takers) take(message.spent);
  });
  return {
    count,
    answer: (question, find) => {
      Object.assign(state.finders, { [question]: find });
    },
    ask: (question) => ask(state, question),
    share: (spent) => send({ kind: 'spent', spent }),
    onShared: (take) => {
      takers.push(take);
    },
  };
}

async function reply({ finders }: State, { asked, question }: { asked: number; question: Question }) {
  const answer = await finders[question]?.().catch(() => null);
  send({ kind: 'answer', asked, answer: answer ?? null });
}

function ask<Q extends Question>(state: State, question: Q): Promise<(Answers[Q] | null)[]> {
  const asked = ++state.asked;
  return new Promise((resolve) => {
    const done = (answers: unknown[]) => {
      clearTimeout(late);
      state.waiting.delete(asked);
      // A safe cast: the primary returns only answers to this question.
      resolve(answers as (Answers[Q] | null)[]);
    };
    const late = setTimeout(done, timeoutMilliseconds, []);
    state.waiting.set(asked, done);
    send({ kind: 'ask', asked, question });
  });
}
