import { endAttempt, terminateDescendentAttempts } from './attempts.ts';
import type { Activity } from './course.ts';
import { contentDeliveryEnvironment, deliveryRequest } from './delivery.ts';
import type { Draft } from './draft.ts';
import { navigationRequest } from './navigation.ts';
import type { Refused, SequencingOutcome } from './outcomes.ts';
import type { NavigationRequest } from './requests.ts';
import { endSession, sequencingRequest } from './sequencing-requests.ts';
import { terminationRequest } from './termination.ts';
import { commonAncestor } from './tree.ts';

export type Delivered = { kind: 'delivered'; activity: Activity; isResumed: boolean };
export type OverallOutcome = Delivered | { kind: 'ended' } | { kind: 'nothing' } | Refused;

/** OP.1: Overall Sequencing Process, for one navigation request (SN §4.3). Changes the draft. */
export function overallSequencing(draft: Draft, request: NavigationRequest): OverallOutcome {
  const outcome = sequenceToDelivery(draft, request);
  if (outcome.kind === 'ended') endSession(draft);
  if (outcome.kind !== 'deliver') return outcome;
  const isResumed = contentDeliveryEnvironment(draft, outcome.activity);
  if (typeof isResumed !== 'boolean') return isResumed;
  return { kind: 'delivered', activity: outcome.activity, isResumed };
}

/** Runs the process up to the delivery request, which is all that a prediction needs. */
export function sequenceToDelivery(draft: Draft, request: NavigationRequest): SequencingOutcome {
  const navigation = navigationRequest(draft, request);
  if (navigation.kind === 'refused') return navigation;
  const terminated = navigation.termination && terminationRequest(draft, navigation.termination);
  if (terminated?.kind === 'refused') return terminated;
  const sequencing = terminated?.sequencing ?? navigation.sequencing;
  const outcome = sequencingRequest(draft, sequencing);
  if (outcome.kind === 'refused' && outcome.undeliverable) enterGroup(draft, outcome.undeliverable);
  if (outcome.kind !== 'deliver') return outcome;
  return deliveryRequest(draft, outcome.activity) ?? outcome;
}

/** SB.2.9, last step: if a chosen group delivers nothing, it becomes the current activity. */
function enterGroup(draft: Draft, group: Activity): void {
  const ancestor = draft.current ? commonAncestor(draft.current, group) : draft.course.root;
  terminateDescendentAttempts(draft, ancestor);
  endAttempt(draft, ancestor);
  draft.current = group;
}
