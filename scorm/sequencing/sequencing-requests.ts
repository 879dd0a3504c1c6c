import { endAttempt, terminateDescendentAttempts } from './attempts.ts';
import { choiceRequest } from './choice.ts';
import { type Draft, trackOf } from './draft.ts';
import { flow } from './flow.ts';
import { refuse, type SequencingOutcome } from './outcomes.ts';
import type { SequencingRequest } from './requests.ts';
import { isLeaf } from './tree.ts';

/** SB.2.12: Sequencing Request Process (SN §4.7). */
export function sequencingRequest(draft: Draft, request: SequencingRequest): SequencingOutcome {
  switch (request.kind) {
    case 'start':
      return startRequest(draft);
    case 'resumeAll':
      return resumeAllRequest(draft);
    case 'continue':
      return continueRequest(draft);
    case 'previous':
      return previousRequest(draft);
    case 'retry':
      return retryRequest(draft);
    case 'exit':
      return exitRequest(draft);
    case 'choice':
      return choiceRequest(draft, draft.course.byID.get(request.target));
    case 'jump':
      return jumpRequest(draft, request.target);
  }
}

/** SB.2.5: Start Sequencing Request Process. */
function startRequest(draft: Draft): SequencingOutcome {
  const { root } = draft.course;
  if (draft.current) return refuse('SB.2.5-1', 'sessionAlreadyBegun');
  beginCourse(draft);
  return isLeaf(root) ? { kind: 'deliver', activity: root } : flow(draft, root, 'forward', true);
}

/** SB.2.6: Resume All Sequencing Request Process. */
function resumeAllRequest({ current, suspended }: Draft): SequencingOutcome {
  if (current) return refuse('SB.2.6-1', 'sessionAlreadyBegun');
  return suspended ? { kind: 'deliver', activity: suspended } : refuse('SB.2.6-2', 'nothingSuspended');
}

/** SB.2.7: Continue Sequencing Request Process. */
function continueRequest(draft: Draft): SequencingOutcome {
  const { current } = draft;
  if (!current) return refuse('SB.2.7-1', 'sessionNotBegun');
  const { parent } = current;
  if (parent && !parent.sequencing.ControlMode.Flow) return refuse('SB.2.7-2', 'flowOff', parent);
  return flow(draft, current, 'forward', false);
}

/** SB.2.8: Previous Sequencing Request Process. */
function previousRequest(draft: Draft): SequencingOutcome {
  const { current } = draft;
  if (!current) return refuse('SB.2.8-1', 'sessionNotBegun');
  const { parent } = current;
  if (parent && !parent.sequencing.ControlMode.Flow) return refuse('SB.2.8-2', 'flowOff', parent);
  return flow(draft, current, 'backward', false);
}

/** SB.2.10: Retry Sequencing Request Process. */
function retryRequest(draft: Draft): SequencingOutcome {
  const { current } = draft;
  if (!current) return refuse('SB.2.10-1', 'sessionNotBegun');
  const { active, suspended } = trackOf(draft, current);
  if (active || suspended) return refuse('SB.2.10-2', 'stillOpen', current);
  if (!current.parent) beginCourse(draft);
  if (isLeaf(current)) return { kind: 'deliver', activity: current };
  return flow(draft, current, 'forward', true);
}

/**
 * SN §3.10.4: a new attempt on the course clears global objectives and shared data, unless the manifest
 * shares them with all courses.
 */
function beginCourse(draft: Draft): void {
  const { root, objectivesGlobalToSystem, sharedDataGlobalToSystem } = draft.course;
  if (trackOf(draft, root).suspended) return;
  if (!objectivesGlobalToSystem) draft.globals.clear();
  if (!sharedDataGlobalToSystem) draft.buckets = new Map();
}

/** SB.2.11: Exit Sequencing Request Process. The session ends only when the root ends. */
function exitRequest(draft: Draft): SequencingOutcome {
  const { current } = draft;
  if (!current) return refuse('SB.2.11-1', 'sessionNotBegun');
  if (trackOf(draft, current).active) return refuse('SB.2.11-2', 'stillOpen', current);
  return current.parent ? { kind: 'nothing' } : { kind: 'ended' };
}

/** SB.2.13: Jump Sequencing Request Process (4th edition). */
function jumpRequest(draft: Draft, id: string): SequencingOutcome {
  const target = draft.course.byID.get(id);
  if (!draft.current) return refuse('SB.2.13-1', 'sessionNotBegun');
  return target ? { kind: 'deliver', activity: target } : refuse('SB.2.13-1', 'unknownActivity');
}

/** After the last activity, ends the attempts on all activities that are still open. */
export function endSession(draft: Draft): void {
  const { root } = draft.course;
  terminateDescendentAttempts(draft, root);
  if (trackOf(draft, root).active) endAttempt(draft, root);
  draft.current = null;
  draft.delivered = null;
}
