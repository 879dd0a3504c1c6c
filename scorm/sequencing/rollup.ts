import type { Activity } from './course.ts';
import { type Draft, trackOf } from './draft.ts';
import { completedOf, measureOf, progressOf, recordObjective, satisfiedOf } from './objectives.ts';
import { type RollupAction, rollupRuleCheck } from './rollup-conditions.ts';
import { availableChildren, isLeaf, pathUp } from './tree.ts';

/** The maximum number of passes. Groups may read global objectives that other groups write. */
const maxRounds = 8;

/**
 * RB.1.5: Overall Rollup Process (SN §4.6.7). Rolls up from the activity to the root, and from all activities
 * that read a changed global objective.
 */
export function overallRollup(draft: Draft, activity: Activity): void {
  for (const each of pathUp(activity)) rollUp(draft, each);
  for (let round = 0; round < maxRounds && draft.changedGlobals.size > 0; round += 1) {
    const readers = [...draft.changedGlobals].flatMap((id) => draft.course.readers.get(id) ?? []);
    draft.changedGlobals.clear();
    const affected = new Set(readers.flatMap((reader) => pathUp(reader)));
    for (const each of [...affected].sort((a, b) => b.index - a.index)) rollUp(draft, each);
  }
}

export function rollUp(draft: Draft, activity: Activity): void {
  if (isLeaf(activity) || !activity.sequencing.Delivery.Tracked) return;
  measureRollup(draft, activity);
  completionMeasureRollup(draft, activity);
  objectiveRollup(draft, activity);
  activityProgressRollup(draft, activity);
}

/** RB.1.1.a: Measure Rollup Process. Computes the weighted mean, with 0 for children without a measure. */
export function measureRollup(draft: Draft, activity: Activity): void {
  const weighted = contributions(
    draft,
    activity,
    (child) => child.sequencing.RollupRules.ObjectiveMeasureWeight,
    (child) => measureOf(draft, child, child.primary, 'parent'),
  );
  recordObjective(draft, activity, activity.primary, { measure: weightedMean(weighted) });
}

/** RB.1.1.b: Completion Measure Rollup Process. */
export function completionMeasureRollup(draft: Draft, activity: Activity): void {
  const weighted = contributions(
    draft,
    activity,
    (child) => child.progressWeight,
    (child) => progressOf(draft, child, 'parent'),
  );
  recordObjective(draft, activity, activity.primary, { progress: weightedMean(weighted) });
}

type Contribution = { weight: number; value: number | null };

function contributions(
  draft: Draft,
  activity: Activity,
  weightOf: (child: Activity) => number,
  measureIn: (child: Activity) => number | null,
): Contribution[] {
  return availableChildren(draft, activity)
    .filter((child) => child.sequencing.Delivery.Tracked)
    .map((child) => ({ weight: weightOf(child), value: measureIn(child) }));
}

function weightedMean(contributions: readonly Contribution[]): number | null {
  let [sum, total, isKnown] = [0, 0, false];
  for (const { weight, value } of contributions) {
    total += weight;
    sum += weight * (value ?? 0);
    isKnown ||= value !== null;
  }
  return isKnown && total > 0 ? sum / total : null;
}

/**
 * RB.1.2: Objective Rollup Process. If the objective is satisfied by measure (RB.1.2.a), nothing is recorded,
 * because `satisfiedOf` derives the status from the measure.
 */
export function objectiveRollup(draft: Draft, activity: Activity): void {
  if (activity.objectives[activity.primary]?.SatisfiedByMeasure) return;
  const satisfied = rolledUp(draft, activity, 'notSatisfied', 'satisfied');
  if (satisfied !== null) recordObjective(draft, activity, activity.primary, { satisfied });
}

/** RB.1.3: Activity Progress Rollup Process, by measure (RB.1.3.a) or by rules (RB.1.3.b). */
export function activityProgressRollup(draft: Draft, activity: Activity): void {
  const { completedByMeasure, minProgressMeasure, primary } = activity;
  if (completedByMeasure) {
    const progress = progressOf(draft, activity);
    const completed = progress === null ? null : progress >= minProgressMeasure;
    recordObjective(draft, activity, primary, { completed });
    return;
  }
  const completed = rolledUp(draft, activity, 'incomplete', 'completed');
  if (completed !== null) recordObjective(draft, activity, primary, { completed });
}

/**
 * The positive rule takes precedence over the negative one. If neither applies, the status does not change.
 */
function rolledUp(draft: Draft, activity: Activity, no: RollupAction, yes: RollupAction): boolean | null {
  if (rollupRuleCheck(draft, activity, yes)) return true;
  return rollupRuleCheck(draft, activity, no) ? false : null;
}

/** The tracking data of one activity, including the values that its maps read. */
export function statusOf(draft: Draft, activity: Activity) {
  const { attempts, suspended, active } = trackOf(draft, activity);
  return {
    completed: completedOf(draft, activity),
    satisfied: satisfiedOf(draft, activity),
    measure: measureOf(draft, activity),
    progress: progressOf(draft, activity),
    attempts,
    suspended,
    active,
  };
}
