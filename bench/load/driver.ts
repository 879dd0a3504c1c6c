import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Order } from './child.ts';
import type { LearnersFigure, LearnersOrder } from './learners.ts';
import type { Figure } from './sockets.ts';

export type Driver = {
  load: (order: Order) => Promise<Figure>;
  learners: (order: LearnersOrder) => Promise<LearnersFigure>;
  close: () => void;
};

/** The load generator process. */
export function startDriver(): Driver {
  const child = fork(join(import.meta.dirname, 'child.ts'), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  child.on('message', ({ id, figure, error }: { id: number; figure: unknown; error?: string }) => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) one?.resolve(figure);
    else one?.reject(new Error(error));
  });
  child.on('exit', (code) => {
    for (const one of waiting.values()) one.reject(new Error(`The load generator exited with ${code}.`));
  });
  const ask = <T>(order: Order | LearnersOrder): Promise<T> => {
    const id = ++last;
    const one = Promise.withResolvers<unknown>();
    waiting.set(id, one);
    child.send({ id, order });
    // The type of the child's reply depends on the order.
    return one.promise as Promise<T>;
  };
  return {
    load: (order) => ask<Figure>(order),
    learners: (order) => ask<LearnersFigure>(order),
    close: () => void child.kill(),
  };
}
