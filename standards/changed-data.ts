import type { RunTimeData } from '../scorm/data-model/types.ts';

/** A commit that has only the elements that have changed since the commit `base` of the same launch. */
export type ChangesSince = {
  number: number;
  base: { number: number; removed: readonly string[] };
  data: RunTimeData;
};

/** The data with its elements sorted by name, so that equal data has the same JSON. */
export function sortedData(data: RunTimeData): RunTimeData {
  const names = Object.keys(data).sort();
  return Object.fromEntries(names.map((name) => [name, data[name] ?? '']));
}

/**
 * All data of the commit, given what an earlier commit of the same launch has stored. The changes also include what commits
 * between the base and this one have changed, so it doesn't matter which of them was the last to be stored. Null if that
 * cannot be one of them. Changes `stored.data` itself, because a copy of hundreds of elements takes 100 µs.
 */
export function withChanges(
  stored: { number: number; data: RunTimeData },
  { number, base, data }: ChangesSince,
): RunTimeData | null {
  if (stored.number < base.number || stored.number > number) return null;
  const after = Object.assign(stored.data, data);
  for (const name of base.removed) delete after[name];
  // A course mostly changes values of elements that it has already set, which keeps their order.
  const names = Object.keys(after);
  return names.every((name, at) => at === 0 || (names[at - 1] ?? '') < name) ? after : sortedData(after);
}
