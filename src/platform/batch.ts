import type { Engine } from './db/engine.ts';
import { Problem } from './errors.ts';
import { perEngine } from './per-engine.ts';

type Waiting<Row, Result> = {
  row: Row;
  key: string | null;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

/**
 * Coalesces concurrent calls into one multi-row statement per group: one statement is in flight, the next takes all
 * that queued meanwhile, so a lone call waits for nothing. Rows with equal keys never share a statement. When a
 * statement fails as a whole its rows run again one by one, so that a bad row fails alone. Not for use inside a transaction: rows
 * of other callers would join it.
 */
export function coalesce<Context extends { engine: Engine }, Row, Result>(options: {
  /** Rows of different groups never share a statement. */
  group: (ctx: Context) => string;
  /** None: rows that are equal may share a statement, because it only reads. */
  key?: (row: Row) => string;
  run: (ctx: Context, rows: Row[]) => Promise<Result[]>;
  most?: number;
}): (ctx: Context, row: Row) => Promise<Result> {
  const most = options.most ?? 200;
  const queues = perEngine(() => new Map<string, Waiting<Row, Result>[]>());

  async function settle(ctx: Context, batch: Waiting<Row, Result>[]): Promise<void> {
    try {
      const results = await options.run(
        ctx,
        batch.map((waiting) => waiting.row),
      );
      for (const [index, waiting] of batch.entries()) waiting.resolve(results[index] as Result);
    } catch (error) {
      if (batch.length === 1 || error instanceof Problem) for (const waiting of batch) waiting.reject(error);
      else for (const waiting of batch) await settle(ctx, [waiting]);
    }
  }

  function take(queue: Waiting<Row, Result>[]): Waiting<Row, Result>[] {
    if (!options.key) return queue.splice(0, most);
    const keys = new Set<string | null>();
    const batch: Waiting<Row, Result>[] = [];
    const left: Waiting<Row, Result>[] = [];
    for (const waiting of queue.splice(0)) {
      if (batch.length >= most || keys.has(waiting.key)) left.push(waiting);
      else batch.push(waiting);
      keys.add(waiting.key);
    }
    queue.push(...left);
    return batch;
  }

  async function drain(
    ctx: Context,
    groups: Map<string, Waiting<Row, Result>[]>,
    group: string,
  ): Promise<void> {
    const queue = groups.get(group) ?? [];
    while (queue.length > 0) await settle(ctx, take(queue));
    groups.delete(group);
  }

  return (ctx, row) =>
    new Promise((resolve, reject) => {
      const groups = queues(ctx);
      const group = options.group(ctx);
      const waiting = { row, key: options.key?.(row) ?? null, resolve, reject };
      const queue = groups.get(group);
      if (queue) queue.push(waiting);
      else {
        groups.set(group, [waiting]);
        void drain(ctx, groups, group);
      }
    });
}
