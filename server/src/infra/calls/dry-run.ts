import { transaction } from '../../db/transaction.ts';
import { Problem } from '../../lib/errors.ts';
import { type Context, openState, type TenantContext } from '../context/context.ts';
import { type Submission, submitInside } from './once.ts';

class Undo extends Error {}

/**
 * Runs a service function in a transaction that is rolled back, to find out what the function would
 * do. The context has its own node state, because caches must not be shared with other callers.
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

/**
 * Dry-runs several rows together; each of them succeeds or is refused independently. If anything else fails, each row
 * is repeated in a transaction of its own.
 */
export async function dryRunEach<C extends Context, Row, T>(
  ctx: C,
  rows: readonly Row[],
  work: (ctx: C, rows: readonly Row[]) => Promise<T[]>,
): Promise<PromiseSettledResult<T>[]> {
  const attempt = async (some: readonly Row[]): Promise<PromiseSettledResult<T>[]> => {
    const values = await dryRun(ctx, (ctx) => work(ctx, some));
    return values.map((value) => ({ status: 'fulfilled', value }));
  };
  return attempt(rows).catch(async (error: unknown) => {
    if (rows.length === 1) return [{ status: 'rejected', reason: error }];
    const alone: PromiseSettledResult<T>[] = [];
    for (const row of rows) alone.push(...(await dryRunEach(ctx, [row], work)));
    return alone;
  });
}

export async function planEach<Row, T>(
  ctx: TenantContext,
  rows: readonly Row[],
  submission: (ctx: TenantContext, row: Row) => Promise<Submission<T>>,
): Promise<PromiseSettledResult<T>[]> {
  const planned = await dryRunEach(ctx, rows, async (ctx, rows) => submitEach(ctx, rows, submission));
  return planned.map((one) => (one.status === 'fulfilled' ? one.value : one));
}

/** Runs the rows in the transaction of `ctx`. A row that is refused before it is submitted is refused alone. */
export async function submitEach<Row, T>(
  ctx: TenantContext,
  rows: readonly Row[],
  submission: (ctx: TenantContext, row: Row) => Promise<Submission<T>>,
): Promise<PromiseSettledResult<T>[]> {
  const prepared = await Promise.allSettled(rows.map((row) => submission(ctx, row)));
  const failed = prepared.find((one) => one.status === 'rejected' && !(one.reason instanceof Problem));
  if (failed?.status === 'rejected') throw failed.reason;
  const submissions = prepared.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const results = (await submitInside(ctx, submissions)).values();
  return prepared.map((one) =>
    one.status === 'rejected' ? one : (results.next().value as PromiseSettledResult<T>),
  );
}
