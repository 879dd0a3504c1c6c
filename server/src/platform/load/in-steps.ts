import { setImmediate as nextTurn } from 'node:timers/promises';

/** About as long as other requests may wait in each turn of the event loop. */
const stepMilliseconds = 10;

/** When such work must end in this turn; null if none has begun. */
let end: number | null = null;

const mustWait = () => end === null || performance.now() >= end;

/**
 * Waits until there is time for work that may take long. All requests share the time in each turn, so other requests
 * take their turns in between, however many do such work at once.
 */
export async function nextStep(): Promise<void> {
  while (end !== null && performance.now() >= end) await nextTurn();
  if (end !== null) return;
  end = performance.now() + stepMilliseconds;
  setImmediate(() => {
    end = null;
  });
}

/** Like `map` for work that may take long, in steps. */
export async function mapInSteps<Item, Result>(
  items: readonly Item[],
  work: (item: Item, at: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [at, item] of items.entries()) {
    if (mustWait()) await nextStep();
    results.push(work(item, at));
  }
  return results;
}
