import type { Activity, Course } from './course.ts';
import { type SupportedResultsByUnit, visitedActivities } from './course-limit.ts';
import { change, type Draft, openDraft, trackOf } from './draft.ts';
import { recordObjective } from './objectives.ts';
import { type CourseResult, courseResult } from './result.ts';
import { rollUp, statusOf } from './rollup.ts';
import type { GlobalObjective } from './state.ts';
import { emptyState } from './supported-results.ts';

/**
 * The course's result if each unit has the best values that its data supports. All groups are rolled up
 * again.
 */
export function replayedResult(
  course: Course,
  units: SupportedResultsByUnit,
  shared: readonly (readonly [id: string, objective: GlobalObjective])[] = [],
): CourseResult {
  const draft = openDraft(
    course,
    { ...emptyState, globals: shared.map(([id, objective]) => [id, objective]) },
    0,
  );
  const bottomUp = course.activities.toReversed();
  for (const activity of bottomUp) recordSupportedResults(draft, activity, units);
  const visited = visitedActivities(course, units);
  for (const activity of bottomUp) if (visited.has(activity)) rollUp(draft, activity);
  const statuses = course.activities.map((each) => [each.id, statusOf(draft, each)] as const);
  return courseResult(course, new Map(statuses));
}

function recordSupportedResults(draft: Draft, activity: Activity, units: SupportedResultsByUnit): void {
  const supported = units.get(activity.id);
  if (activity.children.length > 0 || !supported) return;
  change(draft, activity, { attempts: Math.max(1, trackOf(draft, activity).attempts) });
  for (const [position, result] of supported)
    if (activity.objectives[position]) recordObjective(draft, activity, position, result);
}
