import type { Activity } from './course.ts';
import { change, type Draft, trackOf } from './draft.ts';
import { completedOf, recordObjective, satisfiedOf } from './objectives.ts';
import { type Refused, refuse } from './outcomes.ts';
import { overallRollup } from './rollup.ts';
import { isAttemptLimitReached, isDurationExceeded, sequencingRulesCheck } from './rules.ts';
import { prepareChildren } from './selection.ts';
import { commonAncestor, isLeaf, pathUp } from './tree.ts';

/** UP.1: Limit Conditions Check Process. An attempt that has begun can always be continued. */
function limitConditionsCheck(draft: Draft, activity: Activity, code: string): Refused | null {
  const { active, suspended } = trackOf(draft, activity);
  if (!activity.sequencing.Delivery.Tracked || active || suspended) return null;
  if (isAttemptLimitReached(draft, activity)) return refuse(code, 'attemptLimit', activity);
  return isDurationExceeded(draft, activity) ? refuse(code, 'durationLimit', activity) : null;
}

/** UP.5: Check Activity Process. Returns null if the activity can be delivered. */
export function checkActivity(draft: Draft, activity: Activity, code: string): Refused | null {
  const rule = sequencingRulesCheck(draft, activity, 'disabled');
  return rule ? refuse(code, 'disabled', activity, rule.index) : limitConditionsCheck(draft, activity, code);
}

/**
 * UP.3: Terminate Descendent Attempts Process. Ends the attempts on the ancestors of the current activity
 * that do not contain the new one.
 */
export function terminateDescendentAttempts(draft: Draft, activity: Activity): void {
  const { current } = draft;
  if (!current) return;
  const ancestor = commonAncestor(current, activity);
  for (const each of pathUp(current, ancestor))
    if (each !== current && each !== ancestor) endAttempt(draft, each);
}

/** UP.4: End Attempt Process. Sets completion and success of a unit where its content reported none. */
export function endAttempt(draft: Draft, activity: Activity): void {
  if (isLeaf(activity)) completeLeaf(draft, activity);
  else {
    const suspended = activity.children.some((child) => trackOf(draft, child).suspended);
    change(draft, activity, { suspended });
  }
  const { suspended } = trackOf(draft, activity);
  change(draft, activity, suspended ? { active: false } : { active: false, attemptBegan: null });
  overallRollup(draft, activity);
  prepareChildren(draft, activity);
}

export function completeLeaf(draft: Draft, activity: Activity): void {
  const { Tracked, CompletionSetByContent, ObjectiveSetByContent } = activity.sequencing.Delivery;
  const { suspended, setsCompletion, setsSuccess } = trackOf(draft, activity);
  if (!Tracked || suspended) return;
  const { primary, completedByMeasure } = activity;
  if (
    !CompletionSetByContent &&
    !setsCompletion &&
    !completedByMeasure &&
    completedOf(draft, activity) === null
  )
    recordObjective(draft, activity, primary, { completed: true });
  if (!ObjectiveSetByContent && !setsSuccess && satisfiedOf(draft, activity) === null)
    recordObjective(draft, activity, primary, { satisfied: true });
}
