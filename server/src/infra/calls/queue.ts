import type { Engine } from '../../db/engine/engine.ts';
import { type Database, forAnyone, isInTransaction, run } from '../../db/transaction.ts';
import { Problem } from '../../lib/errors.ts';
import { type NodeState, partOfState, type TenantContext } from '../context/context.ts';

type QueueContext = { engine: Pick<Engine, 'kind' | 'isDistributed'>; state: NodeState; tenantId: string };

export type Call<C, Row> = { ctx: C; row: Row };

type Waiting<C, Row, Result> = Call<C, Row> & {
  key: string | null;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

/**
 * Rows that wait for a statement. `rows` are those of the `statements` in progress. `busy` has the keys in progress, and
 * the tenants whose rows run alone.
 */
type Lane<C, Row, Result> = {
  waiting: Waiting<C, Row, Result>[];
  /** Whether statements are started at the end of this turn of the event loop. */
  isDue: boolean;
  statements: number;
  rows: number;
  busy: Set<string>;
};

export const byTenant = <T extends { ctx: { tenantId: string } }>(calls: readonly T[]): T[][] => [
  ...Map.groupBy(calls, ({ ctx }) => ctx.tenantId).values(),
];

/** The context for a statement with these calls: their tenant's, or one without a tenant. */
export function contextOf<C extends { db: Database; tenantId: string }>(calls: readonly { ctx: C }[]): C {
  const { ctx } = calls[0] as { ctx: C };
  return calls.every(({ ctx: { tenantId } }) => tenantId === ctx.tenantId) ? ctx : forAnyone(ctx);
}

/**
 * Combines concurrent calls into statements. Calls that arrive during a statement wait for the next one, so a single
 * call never waits. Rows with equal keys keep their order.
 *
 * With `isShared`, the rows of all tenants share statements. Rows that a statement left out, because their tenant's rows
 * were locked, run alone while the other tenants go on. If a statement fails, it is repeated for each tenant, and if
 * that fails, for each row.
 */
export function openQueue<C extends QueueContext, Row, Result>(options: {
  name: string;
  /** On Citus, a statement has rows of one tenant only. */
  isShared?: true;
  /** Without a key, equal rows can be in progress at the same time, so only reads may omit the key. */
  key?: (row: Row) => string;
  /** The results, in order; undefined for a row that was left out. With rows of one tenant, never leaves out all. */
  run: (calls: readonly Call<C, Row>[]) => Promise<(Result | undefined)[]>;
  max?: number;
  /** Maximum bytes of a statement, unless a single row is larger. */
  bytes?: { of: (row: Row) => number; max: number };
}) {
  const { max = 200, bytes = { of: () => 0, max: 0 }, isShared = false } = options;
  type Own = Waiting<C, Row, Result>;
  const lanesOf = partOfState(options.name, () => new Map<string, Lane<C, Row, Result>>());
  const openLane = (): Lane<C, Row, Result> => ({
    waiting: [],
    isDue: false,
    statements: 0,
    rows: 0,
    busy: new Set(),
  });
  const laneNameOf = ({ engine, tenantId }: C) => (isShared && !engine.isDistributed() ? '' : tenantId);

  function take(lane: Lane<C, Row, Result>): Own[] {
    const batch: Own[] = [];
    const left: Own[] = [];
    const passedOver = new Set<string>();
    let room = bytes.max;
    for (const waiting of lane.waiting) {
      const { key, ctx } = waiting;
      const size = bytes.of(waiting.row);
      const hasRoom = batch.length === 0 || (batch.length < max && size <= room);
      const isFree = key === null || !(lane.busy.has(key) || passedOver.has(key));
      if (hasRoom && isFree && !lane.busy.has(ctx.tenantId)) {
        batch.push(waiting);
        room -= size;
        if (key !== null) lane.busy.add(key);
      } else {
        left.push(waiting);
        if (key !== null) passedOver.add(key);
      }
    }
    lane.waiting = left;
    return batch;
  }

  /** Runs the rows. Adds how to answer their callers to `answers`, and returns the rows that were left out. */
  async function attempt(batch: readonly Own[], answers: (() => void)[]): Promise<Own[]> {
    try {
      const results = await options.run(batch);
      for (const [at, { resolve }] of batch.entries())
        if (results[at] !== undefined) answers.push(() => resolve(results[at] as Result));
      return batch.filter((_, at) => results[at] === undefined);
    } catch (error) {
      // After a Problem, it is not known whether the database has committed.
      if (batch.length === 1 || error instanceof Problem) {
        for (const { reject } of batch) answers.push(() => reject(error));
        return [];
      }
      const tenants = byTenant(batch);
      const left: Own[] = [];
      for (const part of tenants.length > 1 ? tenants : batch.map((one) => [one]))
        left.push(...(await attempt(part, answers)));
      return left;
    }
  }

  /** Runs rows of one tenant until none is left. The tenant's other rows wait. */
  async function runAlone(lane: Lane<C, Row, Result>, rows: readonly Own[]): Promise<void> {
    const { ctx } = rows[0] as Own;
    const answers: (() => void)[] = [];
    lane.busy.add(ctx.tenantId);
    for (let left = rows; left.length > 0; ) left = await attempt(left, answers);
    lane.busy.delete(ctx.tenantId);
    finish(ctx, lane, rows, answers);
  }

  function finish(
    ctx: C,
    lane: Lane<C, Row, Result>,
    rows: readonly Own[],
    answers: readonly (() => void)[],
  ) {
    for (const { key } of rows) if (key !== null) lane.busy.delete(key);
    // The next statement is sent before the callers continue.
    start(ctx, lane);
    for (const answer of answers) answer();
  }

  function start(ctx: C, lane: Lane<C, Row, Result>): void {
    lane.isDue = false;
    // A server gets a second statement once as many rows wait as are in progress. It then runs one while this process
    // reads the results of the other. The embedded database runs one statement at a time.
    const together = ctx.engine.kind === 'postgres' ? 2 : 1;
    while (
      lane.waiting.length > 0 &&
      (lane.statements === 0 || (lane.statements < together && lane.waiting.length >= lane.rows))
    ) {
      const batch = take(lane);
      if (batch.length === 0) return;
      lane.statements += 1;
      lane.rows += batch.length;
      const answers: (() => void)[] = [];
      void attempt(batch, answers).then((left) => {
        lane.statements -= 1;
        lane.rows -= batch.length;
        for (const rows of byTenant(left)) void runAlone(lane, rows);
        const done = batch.filter((one) => !left.includes(one));
        finish(ctx, lane, done, answers);
      });
    }
    if (lane.waiting.length === 0 && lane.statements === 0 && lane.busy.size === 0)
      lanesOf(ctx).delete(laneNameOf(ctx));
  }

  const waitingFor = (ctx: C, row: Row, { resolve, reject }: Pick<Own, 'resolve' | 'reject'>): Own => {
    const key = options.key ? `${ctx.tenantId}\n${options.key(row)}` : null;
    return { ctx, row, key, resolve, reject };
  };

  return {
    /** Runs a row together with those of other callers. */
    add: (ctx: C, row: Row): Promise<Result> =>
      new Promise((resolve, reject) => {
        const name = laneNameOf(ctx);
        const lane = lanesOf(ctx).get(name) ?? openLane();
        lanesOf(ctx).set(name, lane);
        lane.waiting.push(waitingFor(ctx, row, { resolve, reject }));
        if (lane.isDue) return;
        lane.isDue = true;
        setImmediate(start, ctx, lane);
      }),
    /** Runs rows in the transaction of `ctx`, in as few statements as possible. An error fails all of them. */
    runInside: async (ctx: C, rows: readonly Row[]): Promise<Result[]> => {
      const results = new Map<Row, Result>();
      const lane = openLane();
      const nobody = { resolve: () => {}, reject: () => {} };
      lane.waiting = rows.map((row) => waitingFor(ctx, row, nobody));
      for (let batch = take(lane); batch.length > 0; batch = take(lane)) {
        const found = await options.run(batch);
        for (const [at, { row }] of batch.entries())
          if (found[at] !== undefined) results.set(row, found[at] as Result);
        lane.waiting.unshift(...batch.filter(({ row }) => !results.has(row)));
        lane.busy.clear();
      }
      return rows.map((row) => results.get(row) as Result);
    },
  };
}

/**
 * SQL for the items as the relation `wanted`, numbered by `n`. Arrays would need a new plan at
 * every execution: 390 µs of CPU time instead of 90 to read an enrolment. PostgreSQL expects 100
 * rows here, so join each table with `lateral (… limit 1)`. Otherwise, it scans small tables.
 */
export const wantedRows = (columns: string): string =>
  `jsonb_to_recordset($2) as wanted (n integer, ${columns})`;

/**
 * Makes a function that reads one item. Concurrent calls share a statement, which selects from `wantedRows`
 * and returns `n`. An item without a row is null. With 64 connections, one statement per item took four times
 * the server's CPU time.
 */
export function coalesceReads<Wanted, Row>(options: {
  name: string;
  /** $1 is the tenant, $2 the items, and $3 the first value of `more`. */
  text: string;
  /** The item's columns. */
  item: (wanted: Wanted) => Record<string, unknown>;
  more?: (ctx: TenantContext) => unknown[];
  /** Maximum number of items in one statement. */
  max?: number;
}): (ctx: TenantContext, wanted: Wanted) => Promise<Row | null> {
  const { name, text, item, more = () => [], max } = options;
  const queue = openQueue<TenantContext, Wanted, Row | null>({
    name,
    ...(max !== undefined && { max }),
    run: async (calls) => {
      const { ctx } = calls[0] as (typeof calls)[0];
      const items = calls.map(({ row }, n) => ({ n, ...item(row) }));
      const values = [ctx.tenantId, JSON.stringify(items), ...more(ctx)];
      const found = await run<Row & { n: number }>(ctx, text, values);
      const rows: (Row | null)[] = calls.map(() => null);
      for (const row of found) rows[row.n] = row;
      return rows;
    },
  });
  return async (ctx, wanted) => {
    if (!isInTransaction(ctx)) return queue.add(ctx, wanted);
    const [row = null] = await queue.runInside(ctx, [wanted]);
    return row;
  };
}
