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

/** Rows that wait for a statement. `rows` and `keys` are those of the `statements` in progress. */
type Lane<C, Row, Result> = {
  waiting: Waiting<C, Row, Result>[];
  /** Whether statements are started at the end of this turn of the event loop. */
  isDue: boolean;
  statements: number;
  rows: number;
  keys: Set<string>;
};

const ofAllTenants = '\n';

/** The calls of each tenant. */
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
 * With `isShared`, the rows of all tenants wait in one lane. Rows that a statement left out, because their tenant's rows
 * were locked, move to a lane of their tenant, where no other tenant waits for them. If a statement fails, it is repeated
 * for each tenant, and if that fails, for each row.
 */
export function openQueue<C extends QueueContext, Row, Result>(options: {
  name: string;
  /** On Citus, a statement has rows of one tenant only, so each tenant always has a lane of its own. */
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
    keys: new Set(),
  });

  function laneOf({ engine, state, tenantId }: QueueContext): [string, Lane<C, Row, Result>] {
    const lanes = lanesOf({ state });
    const name = isShared && !engine.isDistributed() && !lanes.has(tenantId) ? ofAllTenants : tenantId;
    const lane = lanes.get(name) ?? openLane();
    lanes.set(name, lane);
    return [name, lane];
  }

  function take(lane: Lane<C, Row, Result>): Own[] {
    const batch: Own[] = [];
    const left: Own[] = [];
    const passedOver = new Set<string>();
    let room = bytes.max;
    for (const waiting of lane.waiting) {
      const { key } = waiting;
      const size = bytes.of(waiting.row);
      const hasRoom = batch.length === 0 || (batch.length < max && size <= room);
      if (hasRoom && (key === null || !(lane.keys.has(key) || passedOver.has(key)))) {
        batch.push(waiting);
        room -= size;
        if (key !== null) lane.keys.add(key);
      } else {
        left.push(waiting);
        if (key !== null) passedOver.add(key);
      }
    }
    lane.waiting = left;
    return batch;
  }

  /** Runs the rows and returns how to answer their callers, and the rows that were left out. */
  async function settle(batch: Own[]): Promise<{ answers: (() => void)[]; left: Own[] }> {
    try {
      const results = await options.run(batch);
      const done = [...batch.keys()].filter((at) => results[at] !== undefined);
      return {
        answers: done.map((at) => () => batch[at]?.resolve(results[at] as Result)),
        left: batch.filter((_, at) => results[at] === undefined),
      };
    } catch (error) {
      // After a Problem, it is not known whether the database has committed.
      if (batch.length === 1 || error instanceof Problem)
        return {
          answers: batch.map(
            ({ reject }) =>
              () =>
                reject(error),
          ),
          left: [],
        };
      const tenants = byTenant(batch);
      const settled = { answers: [] as (() => void)[], left: [] as Own[] };
      for (const part of tenants.length > 1 ? tenants : batch.map((one) => [one])) {
        const { answers, left } = await settle(part);
        settled.answers.push(...answers);
        settled.left.push(...left);
      }
      return settled;
    }
  }

  /** Puts rows that were left out before all others, and takes their tenants' other rows out of the shared lane. */
  function setAside(name: string, lane: Lane<C, Row, Result>, left: Own[]): void {
    if (name !== ofAllTenants) {
      lane.waiting.unshift(...left);
      return;
    }
    const lanes = left[0] && lanesOf(left[0].ctx);
    for (const rows of byTenant(left)) {
      const { ctx } = rows[0] as Own;
      const own = lanes?.get(ctx.tenantId) ?? openLane();
      lanes?.set(ctx.tenantId, own);
      const isOwn = (one: Own) => one.ctx.tenantId === ctx.tenantId;
      own.waiting.unshift(...rows, ...lane.waiting.filter(isOwn));
      lane.waiting = lane.waiting.filter((one) => !isOwn(one));
      start(ctx, ctx.tenantId, own);
    }
  }

  function start(ctx: QueueContext, name: string, lane: Lane<C, Row, Result>): void {
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
      void settle(batch).then(({ answers, left }) => {
        lane.statements -= 1;
        lane.rows -= batch.length;
        for (const { key } of batch) if (key !== null) lane.keys.delete(key);
        setAside(name, lane, left);
        // The next statement is sent before the callers continue.
        start(ctx, name, lane);
        if (lane.statements === 0 && !lane.isDue) lanesOf(ctx).delete(name);
        for (const answer of answers) answer();
      });
    }
  }

  const keyOf = ({ tenantId }: C, row: Row) => options.key && `${tenantId}\n${options.key(row)}`;

  return {
    /** Runs a row together with those of other callers. */
    add: (ctx: C, row: Row): Promise<Result> =>
      new Promise((resolve, reject) => {
        const [name, lane] = laneOf(ctx);
        lane.waiting.push({ ctx, row, key: keyOf(ctx, row) ?? null, resolve, reject });
        if (lane.isDue) return;
        lane.isDue = true;
        setImmediate(start, ctx, name, lane);
      }),
    /** Runs rows in the transaction of `ctx`, in as few statements as possible. An error fails all of them. */
    runInside: async (ctx: C, rows: readonly Row[]): Promise<Result[]> => {
      const results = new Map<Row, Result>();
      const lane = openLane();
      const nobody = { resolve: () => {}, reject: () => {} };
      lane.waiting = rows.map((row) => ({ ctx, row, key: keyOf(ctx, row) ?? null, ...nobody }));
      for (let batch = take(lane); batch.length > 0; batch = take(lane)) {
        const found = await options.run(batch);
        for (const [at, { row }] of batch.entries())
          if (found[at] !== undefined) results.set(row, found[at] as Result);
        lane.waiting.unshift(...batch.filter(({ row }) => !results.has(row)));
        lane.keys.clear();
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
      const found = await run<Row & { n: number }>(ctx, { name, text, values });
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
