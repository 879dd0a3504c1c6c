import type { Unit } from './types.ts';

/**
 * The passing score of the primary objective in the manifest. The value in the page's data is ignored,
 * because it cannot be trusted.
 */
export function passingScore(unit: Unit): number | null {
  const primary = unit.Sequencing?.Objectives.find(({ Primary }) => Primary);
  return primary?.SatisfiedByMeasure ? primary.MinNormalizedMeasure : null;
}

export function completionThreshold({ CompletionThreshold: declared }: Unit): number | null {
  return declared?.CompletedByMeasure ? declared.MinProgressMeasure : null;
}
