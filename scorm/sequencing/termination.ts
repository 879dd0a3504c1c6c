import { endAttempt, terminateDescendentAttempts } from './attempts.ts';
import type { Activity } from './course.ts';
import { change, type Draft, trackOf } from './draft.ts';
import { type Refused, refuse } from './outcomes.ts';
import type { SequencingRequest, TerminationRequest } from './requests.ts';
import { overallRollup } from './rollup.ts';
import { sequencingRulesCheck } from './rules.ts';
import { pathFromRoot, pathUp } from './tree.ts';

/** The sequencing request that follows a termination. If null, the one from the navigation request is used. */
export type Terminated = { kind: 'terminated'; sequencing: SequencingRequest | null };

const terminated = (kind: 'exit' | 'retry' | null): Terminated => ({
  kind: 'terminated',
  sequencing: kind && { kind },
});

/** TB.2.3: Termination Request Process (SN §4.5.5). */
export function terminationRequest(draft: Draft, request: TerminationRequest): Terminated | Refused {
  const { current } = draft;
  if (!current) return refuse('TB.2.3-1', 'sessionNotBegun');
  const { active } = trackOf(draft, current);
  if ((request === 'exit' || request === 'abandon') && !active)
    return refuse('TB.2.3-2', 'nothingOpen', current);
  stopClock(draft);
  switch (request) {
    case 'exit':
      return exit(draft, current);
    case 'exitAll':
      return exitAll(draft, current);
    case 'suspendAll':
      return suspendAll(draft, current);
    case 'abandon':
      change(draft, current, { active: false });
      return terminated(null);
    case 'abandonAll':
      for (const activity of pathUp(current)) change(draft, activity, { active: false });
      draft.current = draft.course.root;
      return terminated('exit');
    case 'exitParent':
      return refuse('TB.2.3-7', 'nothingOpen', current);
  }
}

/** Adds the time since the delivery to the activity and its ancestors (SN §4.2.1.4). */
function stopClock(draft: Draft): void {
  const { current, delivered, now } = draft;
  if (!current || delivered === null) return;
  for (const activity of pathUp(current)) {
    const { attemptExperienced, activityExperienced } = trackOf(draft, activity);
    change(draft, activity, {
      attemptExperienced: attemptExperienced + now - delivered,
      activityExperienced: activityExperienced + now - delivered,
    });
  }
  draft.delivered = null;
}

function exit(draft: Draft, current: Activity): Terminated | Refused {
  endAttempt(draft, current);
  exitActionRules(draft);
  for (;;) {
    const activity = draft.current ?? current;
    const { termination, sequencing } = postConditionRules(draft, activity);
    if (termination === 'exitAll') return exitAll(draft, activity, sequencing);
    if (termination === 'exitParent') {
      if (!activity.parent) return refuse('TB.2.3-4', 'noParent', activity);
      draft.current = activity.parent;
      endAttempt(draft, activity.parent);
    } else if (!activity.parent && sequencing?.kind !== 'retry') return terminated('exit');
    else return { kind: 'terminated', sequencing };
  }
}

function exitAll(draft: Draft, current: Activity, after: SequencingRequest | null = null): Terminated {
  const { root } = draft.course;
  if (trackOf(draft, current).active) endAttempt(draft, current);
  terminateDescendentAttempts(draft, root);
  endAttempt(draft, root);
  draft.current = root;
  return { kind: 'terminated', sequencing: after ?? { kind: 'exit' } };
}

function suspendAll(draft: Draft, current: Activity): Terminated | Refused {
  const { active, suspended } = trackOf(draft, current);
  if (active || suspended) {
    overallRollup(draft, current);
    draft.suspended = current;
  } else {
    if (!current.parent) return refuse('TB.2.3-3', 'noParent', current);
    draft.suspended = current.parent;
  }
  for (const activity of pathUp(draft.suspended)) change(draft, activity, { active: false, suspended: true });
  draft.current = draft.course.root;
  return terminated('exit');
}

/** TB.2.1: Sequencing Exit Action Rules Subprocess. Checks the ancestors from the root down. */
function exitActionRules(draft: Draft): void {
  const { current } = draft;
  if (!current?.parent) return;
  const target = pathFromRoot(current.parent).find((activity) =>
    sequencingRulesCheck(draft, activity, 'exit'),
  );
  if (!target) return;
  terminateDescendentAttempts(draft, target);
  endAttempt(draft, target);
  draft.current = target;
}

type PostCondition = { termination: 'exitParent' | 'exitAll' | null; sequencing: SequencingRequest | null };

/** TB.2.2: Sequencing Post Condition Rules Subprocess. */
function postConditionRules(draft: Draft, activity: Activity): PostCondition {
  const isSuspended = trackOf(draft, activity).suspended;
  const rule = isSuspended ? null : sequencingRulesCheck(draft, activity, 'post');
  switch (rule?.Action) {
    case 'retry':
    case 'continue':
    case 'previous':
      return { termination: null, sequencing: { kind: rule.Action } };
    case 'exitParent':
    case 'exitAll':
      return { termination: rule.Action, sequencing: null };
    case 'retryAll':
      return { termination: 'exitAll', sequencing: { kind: 'retry' } };
    default:
      return { termination: null, sequencing: null };
  }
}
