import { Problem } from '../../lib/errors.ts';
import { type Counters, countRejection } from './counters.ts';
import { limit } from './load.ts';

/** Runs a few heavy steps at a time. The counts are for metrics. */
export type ImportQueue = {
  readonly running: number;
  readonly waiting: number;
  /** Fails with 503 before starting if too much work is waiting. `inTurn` waits for a turn to run the heavy step. */
  run<Result>(work: (inTurn: InTurn) => Promise<Result>): Promise<Result>;
};

type InTurn = <Result>(step: () => Promise<Result>) => Promise<Result>;

const retryAfter = 30;

export function openImportQueue(
  max: { running: number; waiting: number },
  onRejected = () => {},
): ImportQueue {
  const takeTurns = limit(max.running);
  const count = { started: 0, running: 0 };
  const inTurn: InTurn = (step) =>
    takeTurns(async () => {
      count.running++;
      try {
        return await step();
      } finally {
        count.running--;
      }
    });
  return {
    get running() {
      return count.running;
    },
    get waiting() {
      return count.started - count.running;
    },
    run: async (work) => {
      if (count.started - count.running >= max.waiting) {
        onRejected();
        throw new Problem(
          'unavailable',
          `Too many imports: ${max.waiting} are already waiting. Try again later.`,
          {
            retryAfter,
          },
        );
      }
      count.started++;
      try {
        return await work(inTurn);
      } finally {
        count.started--;
      }
    },
  };
}

/**
 * Two imports at a time leave enough of a small machine for other requests.
 */
export function openImports(counters: Counters): ImportQueue {
  return openImportQueue({ running: 2, waiting: 20 }, () => countRejection({ counters }, 'imports'));
}
