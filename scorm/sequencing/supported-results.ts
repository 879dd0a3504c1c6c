import type { RunTimeData, SupportedResult, SupportedResults } from '../../standards/types.ts';
import { completeLeaf } from './attempts.ts';
import type { Course } from './course.ts';
import { change, type Draft, openDraft } from './draft.ts';
import { ownFacts } from './objectives.ts';
import { transferRunTimeData } from './run-time-data.ts';
import { type SequencingState, stateVersion } from './state.ts';

export const nothingSupported: SupportedResult = {
  completed: false,
  satisfied: false,
  measure: null,
  progress: null,
};

export const emptyState: SequencingState = {
  ...{ version: stateVersion, now: 0, seed: 1, current: null, suspended: null, delivered: null },
  ...{ activities: [], globals: [], buckets: [] },
};

/**
 * The values that the unit's data supports, including those that are set when the attempt ends. Content that
 * reports nothing is completed when its attempt ends, unless the manifest says otherwise (UP.4).
 */
export function supportedResults(course: Course, unitID: string, data: RunTimeData): SupportedResults {
  const activity = course.byID.get(unitID);
  if (!activity?.sequencing.Delivery.Tracked || activity.children.length > 0) return [];
  const draft: Draft = openDraft(course, emptyState, 0);
  transferRunTimeData(draft, activity, data);
  change(draft, activity, { suspended: false });
  completeLeaf(draft, activity);
  return activity.objectives.flatMap((_, position): [number, Partial<SupportedResult>][] => {
    const { completed, satisfied, measure, progress } = ownFacts(draft, activity, position);
    const result = {
      ...(completed === true && { completed }),
      ...(satisfied === true && { satisfied }),
      ...(measure !== null && { measure }),
      ...(progress !== null && { progress }),
    };
    return Object.keys(result).length > 0 ? [[position, result]] : [];
  });
}

export function betterResult(a: Partial<SupportedResult>, b: Partial<SupportedResult>): SupportedResult {
  return {
    completed: a.completed === true || b.completed === true,
    satisfied: a.satisfied === true || b.satisfied === true,
    measure: higher(a.measure, b.measure),
    progress: higher(a.progress, b.progress),
  };
}

function higher(a: number | null | undefined, b: number | null | undefined): number | null {
  if (a == null || b == null) return a ?? b ?? null;
  return Math.max(a, b);
}

/** Combines the supported values from two commits of one unit. Each value is the better of the two. */
export function mergeSupportedResults(a: SupportedResults, b: SupportedResults): SupportedResults {
  const merged = new Map(a);
  for (const [position, result] of b) {
    const known = merged.get(position);
    merged.set(position, known ? compact(betterResult(known, result)) : result);
  }
  return [...merged];
}

function compact({ completed, satisfied, measure, progress }: SupportedResult): Partial<SupportedResult> {
  return {
    ...(completed && { completed }),
    ...(satisfied && { satisfied }),
    ...(measure !== null && { measure }),
    ...(progress !== null && { progress }),
  };
}
