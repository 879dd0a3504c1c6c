import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Database, originOf } from '../db/dialect.ts';

/** The approximate maximum delay for other requests in each turn of the event loop. */
const sliceMilliseconds = 10;

/** Callers that wait for a time slice, by tenant. The tenants take turns in this order. */
const waiting = new Map<string, (() => void)[]>();
let isServing = false;
/**
 * The time at which slow work must pause in this turn of the event loop; null before the first
 * time slice.
 */
let end: number | null = null;

function next(): (() => void) | undefined {
  const [first] = waiting;
  if (!first) return undefined;
  const [queue, callers] = first;
  const resume = callers.shift();
  waiting.delete(queue);
  if (callers.length > 0) waiting.set(queue, callers);
  return resume;
}

/** Resumes one caller after the other, and continues in the next turn of the event loop when the time is up. */
async function serve(): Promise<void> {
  isServing = true;
  // Yield once, so that the caller is already awaiting its time slice.
  await Promise.resolve();
  while (waiting.size > 0) {
    if (end === null) {
      end = performance.now() + sliceMilliseconds;
      setImmediate(() => {
        end = null;
      });
    } else if (performance.now() >= end) {
      await nextTurn();
      continue;
    }
    next()?.();
    // Let the caller work before the next one is resumed.
    await Promise.resolve();
  }
  isServing = false;
}

/**
 * Waits until there is time for slow work. All callers share a limited time in each turn of the
 * event loop, so other requests can proceed. Inside a transaction it does not wait, because others
 * may be waiting for the transaction.
 */
export function nextTimeSlice({ db }: { db: Database }): Promise<void> {
  const origin = originOf(db);
  if (!origin) return Promise.resolve();
  const queue = origin.queue ?? '';
  const slice = new Promise<void>((resolve) => {
    const callers = waiting.get(queue);
    if (callers) callers.push(resolve);
    else waiting.set(queue, [resolve]);
  });
  if (!isServing) void serve();
  return slice;
}

/**
 * Like `map`, but pauses regularly during slow work. Inside a transaction, each pause is one turn
 * of the event loop.
 */
export async function mapInTimeSlices<Item, Result>(
  ctx: { db: Database },
  items: readonly Item[],
  work: (item: Item, at: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let until = 0;
  for (const [at, item] of items.entries()) {
    if (performance.now() >= until) {
      if (originOf(ctx.db)) await nextTimeSlice(ctx);
      else if (at > 0) await nextTurn();
      until = performance.now() + sliceMilliseconds;
    }
    results.push(work(item, at));
  }
  return results;
}
