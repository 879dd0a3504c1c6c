import type { RunTimeData, Support, Supports } from '../../standards/types.ts';
import { completeLeaf } from './attempts.ts';
import type { Course } from './course.ts';
import { change, type Draft, openDraft } from './draft.ts';
import { ownFacts } from './objectives.ts';
import { transferRunTimeData } from './run-time-data.ts';
import { type SequencingState, stateVersion } from './state.ts';

export const noSupport: Support = { completed: false, satisfied: false, measure: null, progress: null };

export const emptyState: SequencingState = {
  ...{ version: stateVersion, now: 0, seed: 1, current: null, suspended: null, delivered: null },
  ...{ activities: [], globals: [], buckets: [] },
};

/**
 * The values that the unit's data supports, including those that the end of the attempt would set. Content
 * that reports nothing is completed when its attempt ends, unless the manifest says otherwise (UP.4).
 */
export function supportsOf(course: Course, unitID: string, data: RunTimeData): Supports {
  const activity = course.byID.get(unitID);
  if (!activity?.sequencing.Delivery.Tracked || activity.children.length > 0) return [];
  const draft: Draft = openDraft(course, emptyState, 0);
  transferRunTimeData(draft, activity, data);
  change(draft, activity, { suspended: false });
  completeLeaf(draft, activity);
  return activity.objectives.flatMap((_, position): [number, Partial<Support>][] => {
    const { completed, satisfied, measure, progress } = ownFacts(draft, activity, position);
    const support = {
      ...(completed === true && { completed }),
      ...(satisfied === true && { satisfied }),
      ...(measure !== null && { measure }),
      ...(progress !== null && { progress }),
    };
    return Object.keys(support).length > 0 ? [[position, support]] : [];
  });
}

export function betterSupport(a: Partial<Support>, b: Partial<Support>): Support {
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
export function mergeSupports(a: Supports, b: Supports): Supports {
  const merged = new Map(a);
  for (const [position, support] of b) {
    const known = merged.get(position);
    merged.set(position, known ? compact(betterSupport(known, support)) : support);
  }
  return [...merged];
}

function compact({ completed, satisfied, measure, progress }: Support): Partial<Support> {
  return {
    ...(completed && { completed }),
    ...(satisfied && { satisfied }),
    ...(measure !== null && { measure }),
    ...(progress !== null && { progress }),
  };
}
