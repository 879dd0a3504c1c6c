import { fold } from './unicode.ts';

/** Without case, accents and differences in spaces. */
export const loose = (text: string) => fold(text).replaceAll(/\s+/g, ' ').trim();

/** The number of letters that must be changed, added, removed or swapped; more than `max` counts as `max` + 1. */
export function distance(one: string, other: string, max: number): number {
  if (Math.abs(one.length - other.length) > max) return max + 1;
  let [before, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let at = 1; at <= other.length; at++) {
      const isSame = one[row - 1] === other[at - 1];
      const cost = Math.min(
        (last[at] ?? 0) + 1,
        (next[at - 1] ?? 0) + 1,
        (last[at - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwapped = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      next.push(isSwapped ? Math.min(cost, (before[at - 2] ?? 0) + 1) : cost);
    }
    if (Math.min(...next) > max) return max + 1;
    [before, last] = [last, next];
  }
  return last[other.length] ?? max + 1;
}

/** Long texts are not mistyped, and comparing them is slow. */
const maxLength = 100;

/** The name that was probably meant: at most one letter in three differs, and never more than two. Null if there is none. */
export function nearest<T>(text: string, names: Iterable<T>, nameOf: (name: T) => string): T | null {
  const wanted = loose(text);
  if (wanted.length > maxLength) return null;
  let max = Math.min(2, Math.floor(wanted.length / 3));
  let best: T | null = null;
  for (const name of names) {
    const found = distance(wanted, loose(nameOf(name)), max);
    if (found > max) continue;
    best = name;
    if (found === 0) break;
    max = found - 1;
  }
  return best;
}
