import type { Engine } from '../db/engine.ts';
import { Problem } from '../errors.ts';
import { type NodeState, partOfState } from '../node-state.ts';

type Waiting<Row, Result> = {
  row: Row;
  key: string | null;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

type Group<Row, Result> = {
  waiting: Waiting<Row, Result>[];
  /**
   * Whether statements for the waiting rows will be started at the end of this turn of the event
   * loop.
   */
  isDue: boolean;
  statements: number;
  /** The number of rows in flight. */
  rows: number;
  keys: Set<string>;
};

/**
 * Combines concurrent calls of a group into multi-row statements. Calls that arrive during a
 * statement wait for the next one, so a single call never waits. Rows with equal keys keep their
 * order. If a statement fails, its rows run again one by one, so only the bad row fails.
 */
export function coalesce<Context extends { engine: Engine; state: NodeState }, Row, Result>(options: {
  name: string;
  /** Rows of different groups never share a statement. */
  group: (ctx: Context, row: Row) => string;
  /** Without a key, equal rows can be in progress at the same time, so only reads may omit the key. */
  key?: (row: Row) => string;
  run: (ctx: Context, rows: Row[]) => Promise<Result[]>;
  /** Whether a row with this result has written nothing and must run again, in the next statement. */
  runsAgain?: (ctx: Context, result: Result) => boolean;
  max?: number;
  /** Maximum bytes of a statement, unless a single row is larger. */
  bytes?: { of: (row: Row) => number; max: number };
}): (ctx: Context, row: Row) => Promise<Result> {
  const { max = 200, bytes = { of: () => 0, max: 0 } } = options;
  const groupsOf = partOfState(options.name, () => new Map<string, Group<Row, Result>>());

  /**
   * Calls `over` with the rows that run again, before the callers continue, so that the next
   * statement is sent first.
   */
  async function settle(
    ctx: Context,
    batch: Waiting<Row, Result>[],
    over: (again: Waiting<Row, Result>[]) => void,
  ): Promise<void> {
    let results: Result[];
    try {
      results = await options.run(
        ctx,
        batch.map((waiting) => waiting.row),
      );
    } catch (error) {
      const isFinal = batch.length === 1 || error instanceof Problem;
      const again: Waiting<Row, Result>[] = [];
      if (!isFinal) for (const waiting of batch) await settle(ctx, [waiting], (one) => again.push(...one));
      over(again);
      if (isFinal) for (const waiting of batch) waiting.reject(error);
      return;
    }
    const again = new Set(batch.filter((_, index) => options.runsAgain?.(ctx, results[index] as Result)));
    over([...again]);
    for (const [index, waiting] of batch.entries())
      if (!again.has(waiting)) waiting.resolve(results[index] as Result);
  }

  function take(group: Group<Row, Result>): Waiting<Row, Result>[] {
    if (!options.key) return group.waiting.splice(0, max);
    const batch: Waiting<Row, Result>[] = [];
    const left: Waiting<Row, Result>[] = [];
    const passedOver = new Set<string>();
    let room = bytes.max;
    for (const waiting of group.waiting) {
      const key = waiting.key as string;
      const size = bytes.of(waiting.row);
      const hasRoom = batch.length === 0 || (batch.length < max && size <= room);
      if (hasRoom && !group.keys.has(key) && !passedOver.has(key)) {
        batch.push(waiting);
        room -= size;
        group.keys.add(key);
      } else {
        left.push(waiting);
        passedOver.add(key);
      }
    }
    group.waiting = left;
    return batch;
  }

  function startStatements(
    ctx: Context,
    groups: Map<string, Group<Row, Result>>,
    name: string,
    group: Group<Row, Result>,
  ): void {
    group.isDue = false;
    // A server gets a second statement once as many rows wait as are in flight. It then runs one
    // while this process reads the results of the other. The embedded database runs one statement
    // at a time.
    const together = ctx.engine.kind === 'postgres' ? 2 : 1;
    while (
      group.waiting.length > 0 &&
      (group.statements === 0 || (group.statements < together && group.waiting.length >= group.rows))
    ) {
      const batch = take(group);
      if (batch.length === 0) return;
      group.statements += 1;
      group.rows += batch.length;
      void settle(ctx, batch, (again) => {
        group.waiting.unshift(...again);
        group.statements -= 1;
        group.rows -= batch.length;
        for (const { key } of batch) if (key !== null) group.keys.delete(key);
        startStatements(ctx, groups, name, group);
        if (group.statements === 0) groups.delete(name);
      });
    }
  }

  return (ctx, row) =>
    new Promise((resolve, reject) => {
      // Each transaction has its own node state, so it combines only its own rows.
      const groups = groupsOf(ctx);
      const name = options.group(ctx, row);
      const group = groups.get(name) ?? {
        waiting: [],
        isDue: false,
        statements: 0,
        rows: 0,
        keys: new Set<string>(),
      };
      groups.set(name, group);
      group.waiting.push({ row, key: options.key?.(row) ?? null, resolve, reject });
      if (group.isDue) return;
      group.isDue = true;
      setImmediate(startStatements, ctx, groups, name, group);
    });
}
