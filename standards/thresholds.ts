import type { Unit } from './types.ts';

/**
 * Set by the manifest's primary objective. The value that the page passes to the content is ignored, because it cannot
 * be trusted.
 */
export function passingScore(unit: Unit): number | null {
  const primary = unit.Sequencing?.Objectives.find(({ Primary }) => Primary);
  return primary?.SatisfiedByMeasure ? primary.MinNormalizedMeasure : null;
}

export function completionThreshold({ CompletionThreshold: declared }: Unit): number | null {
  return declared?.CompletedByMeasure ? declared.MinProgressMeasure : null;
}
