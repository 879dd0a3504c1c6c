/** The parts of a file that the learner has seen, in order and without overlaps: seconds of a recording, or how far they read. */
export type Ranges = readonly (readonly [from: number, to: number])[];

/** Players report positions that are slightly apart, although nothing was skipped. */
const gap = 0.5;

export function addRange(ranges: Ranges, from: number, to: number): Ranges {
  if (!(to > from)) return ranges;
  const touches = ([a, b]: Ranges[number]) => a <= to + gap && b >= from - gap;
  const joined = ranges.filter(touches);
  const whole = [
    Math.min(from, ...joined.map(([a]) => a)),
    Math.max(to, ...joined.map(([, b]) => b)),
  ] as const;
  return [...ranges.filter((range) => !touches(range)), whole].sort(([a], [b]) => a - b);
}

/** The share of `length` that was seen, 0–1. The last moments of a recording may never be reported. */
export function shareOf(ranges: Ranges, length: number): number {
  if (!(length > 0)) return 0;
  const seen = ranges.reduce((sum, [from, to]) => sum + Math.min(to, length) - Math.min(from, length), 0);
  const share = Math.min(1, seen / length);
  return share > 0.995 ? 1 : Math.round(share * 1000) / 1000;
}

const rounded = (value: number) => Math.round(value * 10) / 10;

export const writeRanges = (ranges: Ranges): string =>
  ranges.map(([from, to]) => `${rounded(from)}-${rounded(to)}`).join(',');

export function readRanges(text: string): Ranges {
  return text.split(',').flatMap((part) => {
    const [from = Number.NaN, to = Number.NaN] = part.split('-').map(Number);
    return part !== '' && to > from ? [[from, to] as const] : [];
  });
}
