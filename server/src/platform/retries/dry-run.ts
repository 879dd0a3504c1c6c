import type { Context } from '../context.ts';
import { transaction } from '../db/transaction.ts';
import { Problem } from '../errors.ts';
import { openState } from '../node-state.ts';
import { Postponed } from './once.ts';

class Undo extends Error {}

/**
 * Runs a service function in a transaction that is rolled back, to find out what the function would
 * do. The context has its own node state, because queues and caches must not be shared with other
 * callers.
 */
export async function dryRun<C extends Context, T>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> {
  const done: T[] = [];
  try {
    await transaction(ctx, async (ctx) => {
      done.push(await work({ ...ctx, state: openState(), isDryRun: true }));
      throw new Undo();
    });
  } catch (error) {
    if (!(error instanceof Undo)) throw error;
  }
  return done[0] as T;
}

const isPostponed = (one: PromiseSettledResult<unknown> | undefined) =>
  one?.status === 'rejected' && one.reason instanceof Postponed;

/** Dry-runs several rows concurrently; each of them succeeds or fails independently. */
export async function dryRunEach<C extends Context, Row, T>(
  ctx: C,
  rows: Row[],
  verb: (ctx: C, row: Row) => Promise<T>,
): Promise<PromiseSettledResult<T>[]> {
  const settle = (some: Row[]) => dryRun(ctx, (ctx) => Promise.allSettled(some.map((row) => verb(ctx, row))));
  const together = await settle(rows);
  const isExpected = (one: PromiseSettledResult<T>) =>
    one.status === 'fulfilled' || one.reason instanceof Problem || one.reason instanceof Postponed;
  // After a failed statement, all later statements in the transaction fail too, so each row runs separately.
  if (rows.length > 1 && !together.every(isExpected)) {
    const alone: PromiseSettledResult<T>[] = [];
    for (const row of rows) alone.push(...(await settle([row])));
    return alone;
  }
  const postponed = [...together.keys()].filter((at) => isPostponed(together[at]));
  if (postponed.length === 0) return together;
  const later = await dryRunEach(
    ctx,
    postponed.map((at) => rows[at] as Row),
    verb,
  );
  return together.map((one, at) => later[postponed.indexOf(at)] ?? one);
}
