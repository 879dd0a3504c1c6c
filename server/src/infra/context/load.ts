import { availableParallelism } from 'node:os';
import { Problem } from '../../lib/errors.ts';
import { type Counters, countRejection } from './counters.ts';

/** Runs at most `maxRunning` tasks at a time; the others wait in order. */
export function limit(maxRunning: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= maxRunning) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

/**
 * At most half of the processors and of the threads in libuv's pool, because everything else needs the others. Each hash
 * uses 20 MiB of memory.
 */
const concurrentHashes = availableParallelism() < 4 ? 1 : 2;

/** This node's current load. `counts` are those of the current minute. */
export type Load = {
  minute: number;
  readonly counts: Map<string, number>;
  readonly open: Map<string, number>;
  /** Rows of bulk calls with passwords. They never fill the queue of `hashes`, so single calls are not rejected. */
  readonly bulkHashes: ReturnType<typeof limit>;
  readonly hashes: { waiting: number; readonly inTurn: ReturnType<typeof limit> };
  draining: boolean;
};

export const openLoad = (): Load => ({
  minute: 0,
  counts: new Map(),
  open: new Map(),
  bulkHashes: limit(concurrentHashes),
  hashes: { waiting: 0, inTurn: limit(concurrentHashes) },
  draining: false,
});

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
          { retryAfter },
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

/** Two imports at a time leave enough of a small machine for other requests. */
export function openImports(counters: Counters): ImportQueue {
  return openImportQueue({ running: 2, waiting: 20 }, () => countRejection({ counters }, 'imports'));
}
