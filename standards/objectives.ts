import type { Objective } from './types.ts';

/** The index of each objective, by its ID. If several objectives have the same ID, the first one is used. */
export function positionsOf(objectives: readonly Objective[]): Map<string, number> {
  const positions = new Map<string, number>();
  for (const [index, { ObjectiveID }] of objectives.entries())
    if (ObjectiveID !== null && !positions.has(ObjectiveID)) positions.set(ObjectiveID, index);
  return positions;
}

export function withPlainIdentifiers(objective: Objective): Objective {
  return {
    ...objective,
    ObjectiveID: objective.ObjectiveID && plainIdentifier(objective.ObjectiveID),
    Maps: objective.Maps.map((map) => ({
      ...map,
      TargetObjectiveID: plainIdentifier(map.TargetObjectiveID),
    })),
  };
}

/**
 * The IDs of objectives are URI references: `%20obj%201` and `obj 1` are equal, and surrounding spaces are
 * ignored.
 */
export function plainIdentifier(reference: string): string {
  const text = /%[0-9a-f]{2}/i.test(reference) ? decoded(reference) : reference;
  return text.replace(/\s+/g, ' ').trim();
}

function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}
