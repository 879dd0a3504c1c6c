import type { Database } from './dialect.ts';
import { transaction } from './transaction.ts';

/** On the embedded database everybody waits for a batch: it should take no more milliseconds than this. */
const longest = 25;
const first = 50;

/** Rows of the next batch, after one of `rows` rows took this many milliseconds. */
export function nextBatchSize(rows: number, milliseconds: number, most: number): number {
  if (milliseconds > longest) return Math.max(1, Math.floor(rows / 2));
  return milliseconds < longest / 2 ? Math.min(most, rows * 2) : rows;
}

/**
 * Repeats work on many rows in short transactions, of `most` rows or fewer if they take long, until one finds fewer rows
 * than it may do. `work` returns how many it did. Returns the sum.
 */
export async function inBatches<C extends { db: Database }>(
  ctx: C,
  most: number,
  work: (ctx: C, rows: number) => Promise<number>,
): Promise<number> {
  let sum = 0;
  for (let rows = Math.min(first, most); ; ) {
    let begun = 0;
    const done = await transaction(ctx, (ctx) => {
      // Waiting for a turn does not count.
      begun = performance.now();
      return work(ctx, rows);
    });
    sum += done;
    if (done < rows) return sum;
    rows = nextBatchSize(rows, performance.now() - begun, most);
  }
}
