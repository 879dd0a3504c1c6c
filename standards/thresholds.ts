import { parseNumber } from './numbers.ts';
import type { RunTimeData, Unit } from './types.ts';

/** The manifest's primary objective sets the passing score, which the page may also pass to the content. */
export function passingScore(unit: Unit, data: RunTimeData): number | null {
  const primary = unit.Sequencing?.Objectives.find(({ Primary }) => Primary);
  if (primary?.SatisfiedByMeasure) return primary.MinNormalizedMeasure;
  return parseNumber(data['cmi.scaled_passing_score']);
}

export function completionThreshold(unit: Unit, data: RunTimeData): number | null {
  const declared = unit.CompletionThreshold;
  if (!declared) return parseNumber(data['cmi.completion_threshold']);
  return declared.CompletedByMeasure ? declared.MinProgressMeasure : null;
}
