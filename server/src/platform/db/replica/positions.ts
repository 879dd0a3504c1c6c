/** A position in the primary's write-ahead log. Every write acknowledged by the time `at` precedes it. */
export type Sample = { at: number; position: number };

/** Samples in the order in which they were taken. */
export type Positions = { samples: Sample[] };

const maxSamples = 2_000;
const keepMilliseconds = 3_600_000;
/** Older samples are at least this far apart. */
const stepMilliseconds = 500;

export function addSample({ samples }: Positions, sample: Sample): void {
  const [before, last] = [samples.at(-2), samples.at(-1)];
  if (before && last && last.at - before.at < stepMilliseconds) samples.pop();
  samples.push(sample);
  const isOld = (samples[0]?.at ?? 0) < sample.at - keepMilliseconds;
  if (isOld || samples.length > maxSamples) samples.shift();
}

/**
 * The latest time for which a replica at this position is known to have all acknowledged writes; null if there is none.
 */
export function timeOf({ samples }: Positions, position: number): number | null {
  return samples.findLast((sample) => sample.position <= position)?.at ?? null;
}
