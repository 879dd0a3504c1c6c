import { checkActivity } from './attempts.ts';
import type { Activity } from './course.ts';
import type { Draft } from './draft.ts';
import { type Refused, refuse } from './outcomes.ts';
import { sequencingRulesCheck } from './rules.ts';
import { availableChildren, isLeaf, sibling } from './tree.ts';

export type Direction = 'forward' | 'backward';

type Step = { kind: 'next'; activity: Activity; direction: Direction } | { kind: 'ended' } | Refused;
export type FlowOutcome = { kind: 'deliver'; activity: Activity } | { kind: 'ended' } | Refused;

/** SB.2.1: Flow Tree Traversal Subprocess: one step through the tree (SN §4.7.1). */
function flowTreeTraversal(
  draft: Draft,
  from: Activity,
  wanted: Direction,
  previous: Direction | null,
  considerChildren: boolean,
): Step {
  const { parent } = from;
  const turns = previous === 'backward' && parent !== null && sibling(draft, from, 1) === null;
  const first = turns ? availableChildren(draft, parent)[0] : undefined;
  const activity = first ?? from;
  const direction = turns ? 'backward' : wanted;
  if (considerChildren && !isLeaf(activity)) return enter(draft, activity, direction);
  if (direction === 'forward') {
    // Passing the last activity ends the session.
    if (!parent) return { kind: 'ended' };
    const next = sibling(draft, activity, 1);
    if (next) return { kind: 'next', activity: next, direction };
    return flowTreeTraversal(draft, parent, direction, null, false);
  }
  if (!parent) return refuse('SB.2.1-3', 'firstActivity', activity);
  if (!turns && parent.sequencing.ControlMode.ForwardOnly) return refuse('SB.2.1-4', 'forwardOnly', parent);
  const before = sibling(draft, activity, -1);
  if (before) return { kind: 'next', activity: before, direction };
  return flowTreeTraversal(draft, parent, direction, null, false);
}

/**
 * Enters a group at its first child. Backwards, it enters at the last child unless the group is forward-only.
 */
function enter(draft: Draft, group: Activity, direction: Direction): Step {
  const children = availableChildren(draft, group);
  const isForward = direction === 'forward' || group.sequencing.ControlMode.ForwardOnly;
  const activity = isForward ? children[0] : children.at(-1);
  if (!activity) return refuse('SB.2.1-2', 'noChildren', group);
  return { kind: 'next', activity, direction: isForward ? 'forward' : direction };
}

/**
 * SB.2.2: Flow Activity Traversal Subprocess. Passes skipped activities and enters groups until it finds a
 * leaf.
 */
function flowActivityTraversal(draft: Draft, first: Activity, wanted: Direction): FlowOutcome {
  let [activity, direction] = [first, wanted];
  let previous: Direction | null = null;
  for (;;) {
    const { parent } = activity;
    if (parent && !parent.sequencing.ControlMode.Flow) return refuse('SB.2.2-1', 'flowOff', parent);
    const isSkipped = sequencingRulesCheck(draft, activity, 'skip') !== null;
    const prevented = isSkipped ? null : checkActivity(draft, activity, 'SB.2.2-2');
    if (prevented) return prevented;
    if (!isSkipped && isLeaf(activity)) return { kind: 'deliver', activity };
    const step: Step = isSkipped
      ? flowTreeTraversal(draft, activity, direction, previous, false)
      : flowTreeTraversal(draft, activity, direction, null, true);
    if (step.kind !== 'next') return step;
    if (isSkipped) previous = previous === 'backward' && step.direction === 'backward' ? null : previous;
    else previous = direction === 'backward' && step.direction === 'forward' ? 'backward' : null;
    [activity, direction] = [step.activity, step.direction];
  }
}

/** SB.2.3: Flow Subprocess. */
export function flow(
  draft: Draft,
  from: Activity,
  direction: Direction,
  considerChildren: boolean,
): FlowOutcome {
  const step = flowTreeTraversal(draft, from, direction, null, considerChildren);
  return step.kind === 'next' ? flowActivityTraversal(draft, step.activity, step.direction) : step;
}
