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

/** Half of the threads in libuv's pool, because learners' files need the others. Each hash uses 20 MiB of memory. */
const concurrentHashes = 2;

/** This node's current load. `counts` are those of the current minute. */
export type Load = {
  minute: number;
  readonly counts: Map<string, number>;
  readonly open: Map<string, number>;
  /** Rows of bulk calls with passwords. They never fill the queue of `hashes`, so single calls are not rejected. */
  readonly bulkHashes: ReturnType<typeof limit>;
  readonly hashes: { waiting: number; readonly inTurn: ReturnType<typeof limit> };
  /** Bytes of the input of bulk calls on disk. */
  spoolBytes: number;
  draining: boolean;
};

export const openLoad = (): Load => ({
  minute: 0,
  counts: new Map(),
  open: new Map(),
  bulkHashes: limit(concurrentHashes),
  hashes: { waiting: 0, inTurn: limit(concurrentHashes) },
  spoolBytes: 0,
  draining: false,
});
