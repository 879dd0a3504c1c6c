import type { Permission, Prediction } from '../scorm/sequencing/prediction.ts';
import { completionOf, successOf } from '../scorm/sequencing/result.ts';
import type { ActivityStatus } from '../scorm/sequencing/session.ts';
import { statusOf, type UnitStatus } from '../standards/unit-status.ts';
import type { Session } from './contract.ts';
import { type Offer, offered, type Position } from './course.ts';
import { messages } from './messages.ts';
import type { SequencedState } from './sequenced-state.ts';
import { better } from './units.ts';

/** What sequencing permits and the status of each activity, both at the same moment. */
export type Predicted = {
  prediction: Prediction;
  statuses: ReadonlyMap<string, ActivityStatus>;
};

/** What the page shows and offers. Requests that sequencing would reject are not offered, and have a reason instead. */
export function positionIn(
  { units, current, finished }: SequencedState,
  { prediction, statuses }: Predicted,
  evidence: Session['Evidence'],
): Position {
  const { requests, hidden } = prediction;
  const entries = new Map(prediction.contents.map((entry) => [entry.id, entry]));
  const hasSeveral = units.length > 1;
  const step = (kind: 'continue' | 'previous') =>
    hasSeveral && !hidden.includes(kind) ? offerOf(requests[kind], current === null) : null;
  const endings = endingsOf(hidden);
  return {
    ...{ unit: current, finished, previous: step('previous'), next: step('continue') },
    choice(unitID) {
      const entry = entries.get(unitID);
      return entry ? offerOf(entry, true) : { may: false, why: null };
    },
    shows: (unitID) => entries.get(unitID)?.visible ?? false,
    statusOf: (unitID) => better(statusOf(evidence[unitID]), statusIn(statuses.get(unitID))),
    exitEnds: endings.exitEnds && requests.exitAll.allowed,
    mayEnd: endings.mayEnd && hasSeveral && requests.exitAll.allowed,
  };
}

/**
 * A permitted request may still open no unit, so that the learner must choose one afterwards. `mustOpen` excludes such
 * requests.
 */
function offerOf({ allowed, refusal }: Permission, mustOpen: boolean): Offer {
  if (allowed && !(mustOpen && refusal)) return offered;
  return { may: false, why: refusal && messages.reasons[refusal.reason] };
}

/** Exit suspends the attempt, unless the manifest hides `suspendAll` for this activity but not `exitAll`. */
export function endingsOf(hidden: readonly string[]): { exitEnds: boolean; mayEnd: boolean } {
  const [ends, suspends] = [!hidden.includes('exitAll'), !hidden.includes('suspendAll')];
  return { exitEnds: ends && !suspends, mayEnd: ends && suspends };
}

function statusIn(status: ActivityStatus | undefined): UnitStatus {
  return status ? statusOf({ Completion: completionOf(status), Success: successOf(status) }) : 'none';
}
