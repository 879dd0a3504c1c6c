import type { Activity } from './course.ts';
import { type Draft, trackOf } from './draft.ts';
import { type Direction, flow } from './flow.ts';
import { type Refused, refuse, type SequencingOutcome } from './outcomes.ts';
import { sequencingRulesCheck } from './rules.ts';
import {
  commonAncestor,
  isAvailable,
  isForward,
  isLeaf,
  isWithin,
  pathFromRoot,
  pathUp,
  sibling,
} from './tree.ts';

/** SB.2.4: Choice Activity Traversal Subprocess. Returns null if the choice may pass this activity. */
function choiceActivityTraversal(draft: Draft, activity: Activity, direction: Direction): Refused | null {
  if (direction === 'forward') {
    const rule = sequencingRulesCheck(draft, activity, 'stopForwardTraversal');
    return rule && refuse('SB.2.4-1', 'stopForwardTraversal', activity, rule.index);
  }
  const { parent } = activity;
  if (!parent) return refuse('SB.2.4-3', 'noParent', activity);
  return parent.sequencing.ControlMode.ForwardOnly ? refuse('SB.2.4-2', 'forwardOnly', parent) : null;
}

/** The first activity, among the current one and its later siblings, that a forward choice may not pass. */
export type Stop = { activity: Activity; refused: Refused };

export function firstStop(draft: Draft): Stop | null {
  for (let activity = draft.current; activity?.parent; activity = sibling(draft, activity, 1)) {
    const refused = choiceActivityTraversal(draft, activity, 'forward');
    if (refused) return { activity, refused };
  }
  return null;
}

/**
 * SB.2.9: Choice Sequencing Request Process (SN §4.7.5). A caller that checks many targets can pass `stop` to
 * compute the first stop only once. A group whose activities are all skipped cannot be chosen, because a
 * choice does not end the session.
 */
export function choiceRequest(
  draft: Draft,
  target: Activity | undefined,
  stop: () => Stop | null = () => firstStop(draft),
): SequencingOutcome {
  if (!target) return refuse('SB.2.9-1', 'unknownActivity');
  const refused = visibility(draft, target) ?? reachability(draft, target, stop);
  if (refused) return refused;
  if (isLeaf(target)) return { kind: 'deliver', activity: target };
  const outcome = flow(draft, target, 'forward', true);
  if (outcome.kind === 'deliver') return outcome;
  const refusal = outcome.kind === 'ended' ? refuse('SB.2.9-9', 'noChildren', target) : outcome;
  return { ...refusal, undeliverable: target };
}

/** SB.2.9, steps 2–4: every activity on the path down to the target must be available and not hidden. */
function visibility(draft: Draft, target: Activity): Refused | null {
  for (const activity of pathFromRoot(target)) {
    if (!isAvailable(draft, activity)) return refuse('SB.2.9-2', 'notSelected', activity);
    const rule = sequencingRulesCheck(draft, activity, 'hiddenFromChoice');
    if (rule) return refuse('SB.2.9-3', 'hiddenFromChoice', activity, rule.index);
  }
  const { parent } = target;
  return parent && !parent.sequencing.ControlMode.Choice ? refuse('SB.2.9-4', 'choiceOff', parent) : null;
}

/** SB.2.9, steps 5–12: the path from the current activity to the target. */
function reachability(draft: Draft, target: Activity, stop: () => Stop | null): Refused | null {
  const { current } = draft;
  if (current === target) return null;
  if (!current) return downwards(draft, draft.course.root, target, 'forward');
  if (current.parent && current.parent === target.parent) return amongSiblings(draft, current, target, stop);
  const ancestor = commonAncestor(current, target);
  if (current === ancestor) return downwards(draft, ancestor, target, 'forward');
  const refused = leavingRefused(current, ancestor, target);
  if (refused || target === ancestor) return refused;
  const direction = isForward(draft, current, target) ? 'forward' : 'backward';
  return constrained(draft, current, ancestor, target) ?? downwards(draft, ancestor, target, direction);
}

/** Backwards, only the parent can stop the choice. Forwards, any activity on the path can stop it. */
function amongSiblings(
  draft: Draft,
  current: Activity,
  target: Activity,
  stop: () => Stop | null,
): Refused | null {
  if (!isForward(draft, current, target)) return choiceActivityTraversal(draft, current, 'backward');
  const first = stop();
  if (!first || first.activity === target) return null;
  return isForward(draft, first.activity, target) ? first.refused : null;
}

/** Checks the path from the common ancestor down to the target, excluding the target itself. */
function downwards(draft: Draft, ancestor: Activity, target: Activity, direction: Direction): Refused | null {
  for (const activity of pathUp(target, ancestor).slice(1).reverse()) {
    const refused = direction === 'forward' ? choiceActivityTraversal(draft, activity, direction) : null;
    if (refused) return refused;
    const isNew = activity !== ancestor && !trackOf(draft, activity).active;
    if (isNew && activity.sequencing.ConstrainedChoice.PreventActivation)
      return refuse('SB.2.9-6', 'preventActivation', activity);
  }
  return null;
}

/** Refuses the choice if it would leave an activity that is below the common ancestor and has ChoiceExit off. */
function leavingRefused(current: Activity, ancestor: Activity, target: Activity): Refused | null {
  const left = pathUp(current, ancestor).filter((activity) => activity !== ancestor);
  const locked = left.find(({ sequencing }) => !sequencing.ControlMode.ChoiceExit);
  return locked ? refuse('SB.2.9-7', 'choiceExitOff', target === ancestor ? current : locked) : null;
}

/**
 * Constrained choice: from within a constrained group, only the group and its immediate neighbours can be
 * chosen (SN §3.3).
 */
function constrained(draft: Draft, current: Activity, ancestor: Activity, target: Activity): Refused | null {
  const left = pathUp(current, ancestor).filter((activity) => activity !== ancestor);
  const group = left.find((each) => !isLeaf(each) && each.sequencing.ConstrainedChoice.ConstrainChoice);
  if (!group) return null;
  const direction = isForward(draft, group, target) ? 'forward' : 'backward';
  const considered = choiceFlow(draft, group, direction);
  const isAllowed = isWithin(target, considered) || target === group;
  return isAllowed ? null : refuse('SB.2.9-8', 'constrainChoice', group);
}

/** SB.2.9.1: Choice Flow Subprocess. */
function choiceFlow(draft: Draft, group: Activity, direction: Direction): Activity {
  return choiceFlowTreeTraversal(draft, group, direction) ?? group;
}

/** SB.2.9.2: Choice Flow Tree Traversal Subprocess. */
function choiceFlowTreeTraversal(draft: Draft, activity: Activity, direction: Direction): Activity | null {
  for (let each: Activity | null = activity; each?.parent; each = each.parent) {
    const next = sibling(draft, each, direction === 'forward' ? 1 : -1);
    if (next) return next;
  }
  return null;
}
