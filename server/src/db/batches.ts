import { type Database, joinTransaction, run, transaction } from './transaction.ts';

/** Target duration in milliseconds. On the embedded database, all other statements wait for a batch. */
const targetMilliseconds = 25;
const firstBatchSize = 50;

/** The size of the next batch, given that the last one took this many milliseconds for `rows` rows. */
export function nextBatchSize(rows: number, milliseconds: number, max: number): number {
  if (milliseconds > targetMilliseconds) return Math.max(1, Math.floor(rows / 2));
  return milliseconds < targetMilliseconds / 2 ? Math.min(max, rows * 2) : rows;
}

/**
 * Repeats `work` in short transactions until it processes fewer rows than allowed. A transaction processes up
 * to `max` rows, or fewer if they are slow. `work` returns the number of rows that it processed, and the
 * result is their sum.
 */
export async function inBatches<C extends { db: Database }>(
  ctx: C,
  max: number,
  work: (ctx: C, rows: number) => Promise<number>,
): Promise<number> {
  let sum = 0;
  for (let rows = Math.min(firstBatchSize, max); ; ) {
    let begun = 0;
    const done = await transaction(ctx, (ctx) => {
      // Measure from here, because the wait for the transaction's turn is not part of the work.
      begun = performance.now();
      return work(ctx, rows);
    });
    sum += done;
    if (done < rows) return sum;
    rows = nextBatchSize(rows, performance.now() - begun, max);
  }
}

/** With `select set_config(…)`, Citus would not send the setting to the shards. */
async function setForTransaction(ctx: { db: Database }, plan: string, state: 'on' | 'off'): Promise<void> {
  await run(ctx, `set local enable_${plan} = ${state}`);
}

/** For the rest of the transaction, rules out plans that read a whole table or index. */
export async function readByIndex(ctx: { db: Database }): Promise<void> {
  for (const plan of ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'])
    await setForTransaction(ctx, plan, 'off');
}

/**
 * Runs a statement and rules out plans that sort, so a range with an order and a limit is read with the index that has
 * this order. In a small table, any index of the tenant seems to be as good, and a plan that is cached then would later
 * read the whole tenant for each look-up. The setting does not apply to later statements: if they must sort, PostgreSQL
 * would think their plans so expensive that it would compile them, which takes 200 ms.
 */
export function runInOrder<R>(ctx: { db: Database }, text: string, values: readonly unknown[]): Promise<R[]> {
  return joinTransaction(ctx, async (ctx) => {
    await setForTransaction(ctx, 'sort', 'off');
    const rows = await run<R>(ctx, text, values);
    await setForTransaction(ctx, 'sort', 'on');
    return rows;
  });
}
