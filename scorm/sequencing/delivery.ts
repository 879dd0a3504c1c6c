import { checkActivity, terminateDescendentAttempts } from './attempts.ts';
import type { Activity } from './course.ts';
import { change, type Draft, trackOf } from './draft.ts';
import { forget } from './objectives.ts';
import { type Refused, refuse } from './outcomes.ts';
import { commonAncestor, isLeaf, pathFromRoot, pathUp } from './tree.ts';

/** DB.1.1: Delivery Request Process (SN §4.9.1). Returns null if the activity can be delivered. */
export function deliveryRequest(draft: Draft, activity: Activity): Refused | null {
  if (!isLeaf(activity)) return refuse('DB.1.1-1', 'notALeaf', activity);
  for (const each of pathFromRoot(activity)) {
    const prevented = checkActivity(draft, each, 'DB.1.1-3');
    if (prevented) return prevented;
  }
  return null;
}

/** DB.2: Content Delivery Environment Process (SN §4.9.2). Returns whether a suspended attempt is resumed. */
export function contentDeliveryEnvironment(draft: Draft, activity: Activity): boolean | Refused {
  if (draft.current && trackOf(draft, draft.current).active)
    return refuse('DB.2-1', 'stillOpen', draft.current);
  clearSuspendedActivity(draft, activity);
  terminateDescendentAttempts(draft, activity);
  const isResumed = trackOf(draft, activity).suspended;
  for (const each of pathFromRoot(activity)) if (!trackOf(draft, each).active) beginAttempt(draft, each);
  draft.current = activity;
  draft.delivered = draft.now;
  return isResumed;
}

function beginAttempt(draft: Draft, activity: Activity): void {
  const { suspended, attempts } = trackOf(draft, activity);
  if (!suspended) {
    const { Tracked } = activity.sequencing.Delivery;
    change(draft, activity, {
      attempts: Tracked ? attempts + 1 : attempts,
      ...{ setsCompletion: false, setsSuccess: false },
      ...{ attemptBegan: draft.now, attemptExperienced: 0 },
    });
    forget(draft, activity);
    setAside(draft, activity);
  }
  change(draft, activity, { active: true, suspended: false, oldObjectives: false, oldProgress: false });
}

/**
 * Marks the results of a group's children as belonging to an earlier attempt on the group (SN §3.2.6–7).
 */
function setAside(draft: Draft, group: Activity): void {
  const { UseCurrentAttemptObjectiveInfo, UseCurrentAttemptProgressInfo } = group.sequencing.ControlMode;
  for (const child of group.children) {
    const { attempts, oldObjectives, oldProgress } = trackOf(draft, child);
    if (attempts > 0)
      change(draft, child, {
        oldObjectives: oldObjectives || UseCurrentAttemptObjectiveInfo,
        oldProgress: oldProgress || UseCurrentAttemptProgressInfo,
      });
  }
}

/** DB.2.1: Clear Suspended Activity Subprocess. */
function clearSuspendedActivity(draft: Draft, activity: Activity): void {
  const { suspended } = draft;
  draft.suspended = null;
  if (!suspended || suspended === activity) return;
  for (const each of pathUp(suspended, commonAncestor(activity, suspended))) {
    const { active } = trackOf(draft, each);
    const hasSuspended = each.children.some((child) => trackOf(draft, child).suspended);
    if (isLeaf(each) || !hasSuspended)
      change(draft, each, { suspended: false, ...(active ? {} : { attemptBegan: null }) });
  }
}
