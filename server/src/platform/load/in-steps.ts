import { setImmediate as nextTurn } from 'node:timers/promises';

/** About as long as other requests may wait for a step. */
const stepMilliseconds = 10;

/** Like `map` for work that may take long: other requests take their turns in between. */
export async function mapInSteps<Item, Result>(
  items: readonly Item[],
  work: (item: Item, at: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let began = performance.now();
  for (const [at, item] of items.entries()) {
    results.push(work(item, at));
    if (performance.now() - began < stepMilliseconds) continue;
    await nextTurn();
    began = performance.now();
  }
  return results;
}
