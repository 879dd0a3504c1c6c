import { statusOf } from '../standards/unit-status.ts';
import type { Session } from './contract.ts';
import { offered, type Position } from './course.ts';
import { messages } from './messages.ts';
import type { PlayableUnit } from './units.ts';

/** The state of a course whose units report to the service. The page learns their results only from the service. */
export type AuState = {
  readonly units: readonly PlayableUnit[];
  readonly evidence: Session['Evidence'];
  readonly current: PlayableUnit | null;
  /** Whether the learner has come back from the current unit. */
  readonly finished: boolean;
  /** Whether the service has refused something that a unit reported in this launch. */
  readonly refused: boolean;
};

export function neighbourOf({ units, current }: AuState, step: 1 | -1): PlayableUnit | null {
  const at = current ? units.indexOf(current) : -1;
  return at < 0 ? null : (units[at + step] ?? null);
}

export function positionOf(state: AuState): Position {
  const hasSeveral = state.units.length > 1;
  const step = (to: 1 | -1) => {
    if (neighbourOf(state, to)) return offered;
    return { may: false, why: messages.reasons[to === 1 ? 'lastActivity' : 'firstActivity'] };
  };
  return {
    ...{ unit: state.current, finished: state.finished },
    previous: hasSeveral ? step(-1) : null,
    next: hasSeveral ? step(1) : null,
    choice: (unitID) =>
      state.units.some(({ UnitID }) => UnitID === unitID) ? offered : { may: false, why: null },
    shows: () => true,
    statusOf: (unitID) => statusOf(state.evidence[unitID]),
    ...{ exitEnds: false, mayEnd: false },
  };
}
