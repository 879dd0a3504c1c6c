import type { Context } from './context.ts';
import { transaction } from './db/transaction.ts';
import { Problem } from './errors.ts';

class Undo extends Error {}

/**
 * Runs a verb in a transaction that is rolled back, so that it tells what it would do. The engine of its context is a
 * copy: what verbs keep per engine, such as their queues, is then not shared with the calls of others.
 */
export async function pretend<C extends Context, T>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> {
  const done: T[] = [];
  try {
    await transaction(ctx, async (ctx) => {
      done.push(await work({ ...ctx, engine: { ...ctx.engine } }));
      throw new Undo();
    });
  } catch (error) {
    if (!(error instanceof Undo)) throw error;
  }
  return done[0] as T;
}

/** The same for several rows at once, each of which settles alone. */
export async function pretendEach<C extends Context, Row, T>(
  ctx: C,
  rows: Row[],
  verb: (ctx: C, row: Row) => Promise<T>,
): Promise<PromiseSettledResult<T>[]> {
  const settle = (some: Row[]) =>
    pretend(ctx, (ctx) => Promise.allSettled(some.map((row) => verb(ctx, row))));
  const together = await settle(rows);
  const understood = together.every((row) => row.status === 'fulfilled' || row.reason instanceof Problem);
  if (understood || rows.length === 1) return together;
  // One failed statement fails all that follow in its transaction.
  const alone: PromiseSettledResult<T>[] = [];
  for (const row of rows) alone.push(...(await settle([row])));
  return alone;
}
