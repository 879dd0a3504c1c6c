import type { Objective } from '../../standards/types.ts';
import type { GlobalObjective } from './state.ts';

type Flag = Exclude<keyof Objective['Maps'][number], 'TargetObjectiveID'>;
export type ObjectiveValue = keyof GlobalObjective;

/**
 * SN §3.10.3: the attributes of a map that let it read a value from the global objective or write one to it.
 */
const readFlags: Record<ObjectiveValue, Flag> = {
  satisfied: 'ReadSatisfiedStatus',
  measure: 'ReadNormalizedMeasure',
  raw: 'ReadRawScore',
  min: 'ReadMinScore',
  max: 'ReadMaxScore',
  completed: 'ReadCompletionStatus',
  progress: 'ReadProgressMeasure',
};
export const writeFlags: Record<ObjectiveValue, Flag> = {
  satisfied: 'WriteSatisfiedStatus',
  measure: 'WriteNormalizedMeasure',
  raw: 'WriteRawScore',
  min: 'WriteMinScore',
  max: 'WriteMaxScore',
  completed: 'WriteCompletionStatus',
  progress: 'WriteProgressMeasure',
};
export const facts = ['measure', 'satisfied', 'raw', 'min', 'max', 'progress', 'completed'] as const;

/** The global objective from which each value is read. */
export type Sources = Readonly<Partial<Record<ObjectiveValue, string>>>;

/** SN §3.10.3 permits only one map to read a value. If several maps do, the first one is used. */
export function sourcesOf({ Maps }: Objective): Sources {
  const sources: Partial<Record<ObjectiveValue, string>> = {};
  for (const map of Maps)
    for (const fact of facts) if (map[readFlags[fact]]) sources[fact] ??= map.TargetObjectiveID;
  return sources;
}
