import type { Unit } from './types.ts';

/** Set by the manifest's primary objective. What the page passes to the content is not asked, because it may say anything. */
export function passingScore(unit: Unit): number | null {
  const primary = unit.Sequencing?.Objectives.find(({ Primary }) => Primary);
  return primary?.SatisfiedByMeasure ? primary.MinNormalizedMeasure : null;
}

export function completionThreshold({ CompletionThreshold: declared }: Unit): number | null {
  return declared?.CompletedByMeasure ? declared.MinProgressMeasure : null;
}
