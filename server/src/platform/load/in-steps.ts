import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Database, originOf } from '../db/dialect.ts';

/** About as long as other requests may wait in each turn of the event loop. */
const stepMilliseconds = 10;

/** Callers that wait for a step, by tenant. The tenants take turns in this order. */
const waiting = new Map<string, (() => void)[]>();
let isServing = false;
/** When such work must end in this turn of the event loop; null if none has begun. */
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
  // By now, the caller awaits its step.
  await Promise.resolve();
  while (waiting.size > 0) {
    if (end === null) {
      end = performance.now() + stepMilliseconds;
      setImmediate(() => {
        end = null;
      });
    } else if (performance.now() >= end) {
      await nextTurn();
      continue;
    }
    next()?.();
    // The caller works before the next one is resumed.
    await Promise.resolve();
  }
  isServing = false;
}

/**
 * Waits until there is time for slow work. All callers share the time in each turn of the event loop, so other requests
 * take their turns in between, no matter how many callers there are. Inside a transaction it does not wait, because
 * others may wait for the transaction.
 */
export function nextStep({ db }: { db: Database }): Promise<void> {
  const origin = originOf(db);
  if (!origin) return Promise.resolve();
  const queue = origin.queue ?? '';
  const step = new Promise<void>((resolve) => {
    const callers = waiting.get(queue);
    if (callers) callers.push(resolve);
    else waiting.set(queue, [resolve]);
  });
  if (!isServing) void serve();
  return step;
}

/** Like `map`, but in steps, for slow work. Inside a transaction, it waits only for the other requests' turns. */
export async function mapInSteps<Item, Result>(
  ctx: { db: Database },
  items: readonly Item[],
  work: (item: Item, at: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let until = 0;
  for (const [at, item] of items.entries()) {
    if (performance.now() >= until) {
      if (originOf(ctx.db)) await nextStep(ctx);
      else if (at > 0) await nextTurn();
      until = performance.now() + stepMilliseconds;
    }
    results.push(work(item, at));
  }
  return results;
}
