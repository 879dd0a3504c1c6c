import { settings } from './settings.ts';

const known = Object.values(settings).flatMap((group) => Object.keys(group));
/** Variables of every system that resemble a setting: HOME is two letters away from HOST. */
const usual = new Set(['HOME', 'TEST', 'LECTERN_URL', 'LECTERN_KEY']);
const maxEdits = 2;

/** The variables that are not settings but nearly have the name of one, each with that name. */
export function misspeltSettings(names: readonly string[]): { name: string; meant: string }[] {
  return names.flatMap((name) => {
    if (known.includes(name) || usual.has(name)) return [];
    const [nearest] = known
      .map((meant) => ({ name, meant, edits: editsBetween(name, meant) }))
      .filter(({ edits }) => edits <= maxEdits)
      .sort((one, other) => one.edits - other.edits);
    return nearest ? [{ name, meant: nearest.meant }] : [];
  });
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
export function editsBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > maxEdits) return maxEdits + 1;
  let [beforeLast, last]: [number[], number[]] = [
    [],
    Array.from({ length: other.length + 1 }, (_, at) => at),
  ];
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let at = 1; at <= other.length; at++) {
      const isSame = one[row - 1] === other[at - 1];
      const isSwapped = one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      next[at] = Math.min(
        (last[at] ?? 0) + 1,
        (next[at - 1] ?? 0) + 1,
        (last[at - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, next];
  }
  return last[other.length] ?? 0;
}
