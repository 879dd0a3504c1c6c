import { nextSession } from '../scorm/data-model/next.ts';
import { hasReported } from '../standards/assets.ts';
import { isOpen } from '../standards/prerequisites.ts';
import type { RunTimeData, Unit } from '../standards/types.ts';
import { nodesIn, statusesIn, statusOf, type UnitStatus } from '../standards/unit-status.ts';
import type { Snapshot } from './commits.ts';
import type { Session } from './contract.ts';
import { firstCallDelay, type Offer, offered, type Position } from './course.ts';
import { messages } from './messages.ts';
import { better, type PlayableUnit, pageNotes, playableUnits, resumedUnit, statusOfData } from './units.ts';

export type LinearState = {
  readonly units: readonly PlayableUnit[];
  /** All units and groups by their IDs. */
  readonly nodes: ReadonlyMap<string, Unit>;
  readonly evidence: Session['Evidence'];
  readonly isWeb: boolean;
  /** The data that each unit starts with when it is next opened. */
  data: ReadonlyMap<string, RunTimeData>;
  current: PlayableUnit | null;
  /** Whether the current unit's page has loaded. */
  shown: boolean;
  finished: boolean;
  closing: boolean;
  leaving: boolean;
};

export type LinearEvent =
  | { kind: 'begun' }
  /** The content has finished; `now` is the snapshot to save. */
  | { kind: 'finished'; exit: string; now: Snapshot | null }
  | { kind: 'closing' }
  | { kind: 'closed'; last: Snapshot | null }
  | { kind: 'opened'; unit: PlayableUnit }
  | { kind: 'loaded'; unit: PlayableUnit; isThere: boolean }
  | { kind: 'leaving' }
  /** In a web course, the learner marks the course as completed. */
  | { kind: 'declared' };

export type LinearEffect =
  | { kind: 'moved' }
  /** Null means that the learner leaves the course. */
  | { kind: 'advance'; to: PlayableUnit | null }
  | { kind: 'stay' }
  | { kind: 'show'; unit: PlayableUnit; data: RunTimeData }
  | { kind: 'missing'; unit: PlayableUnit }
  | { kind: 'keep'; last: Snapshot }
  /** The page's completion is saved after the delay. */
  | { kind: 'note'; delay: number };

export type Step = { state: LinearState; effects: LinearEffect[] };

export function beginLinear({
  Tree,
  Data,
  Evidence,
  Standard,
}: Pick<Session, 'Tree' | 'Data' | 'Evidence' | 'Standard'>): LinearState {
  return {
    ...{
      units: playableUnits(Tree),
      nodes: nodesIn(Tree.Units),
      evidence: Evidence,
      isWeb: Standard === 'web',
    },
    ...{ data: new Map(Object.entries(Data)), current: null },
    ...{ shown: false, finished: false, closing: false, leaving: false },
  };
}

export function reduceLinear(state: LinearState, event: LinearEvent): Step {
  const to = (changes: Partial<LinearState>, ...effects: LinearEffect[]): Step => ({
    state: { ...state, ...changes },
    effects,
  });
  switch (event.kind) {
    case 'begun':
      return to({ finished: false }, { kind: 'stay' }, { kind: 'moved' });
    case 'finished': {
      if (state.closing || state.leaving) return to({});
      const next = unitAfter(state, event);
      const advance: LinearEffect[] = next === undefined ? [] : [{ kind: 'advance', to: next }];
      return to({ finished: true }, { kind: 'moved' }, ...advance);
    }
    case 'closing':
      return to({ closing: true });
    case 'closed': {
      const { last } = event;
      if (!last) return to({ closing: false });
      const next = hasReported(last.Data)
        ? nextSession('scorm12', last.Data)
        : { ...state.data.get(last.UnitID), ...last.Data };
      return to({ closing: false, data: withData(state, last.UnitID, next) }, { kind: 'keep', last });
    }
    case 'opened': {
      const { unit } = event;
      const data = state.data.get(unit.UnitID) ?? {};
      return to({ current: unit, finished: false, shown: false }, { kind: 'show', unit, data });
    }
    case 'loaded': {
      const { unit, isThere } = event;
      if (state.current !== unit) return to({});
      if (!isThere) return to({ shown: false }, { kind: 'missing', unit });
      if (unit.Kind === 'sco') return to({ shown: true });
      return to({ shown: true }, { kind: 'note', delay: state.isWeb ? 0 : firstCallDelay });
    }
    case 'leaving':
      return to({ leaving: true });
    case 'declared': {
      if (!state.current) return to({});
      const { UnitID } = state.current;
      const declared = { ...state.data.get(UnitID), 'lectern.completion': 'completed' };
      return to({ data: withData(state, UnitID, declared) }, { kind: 'note', delay: 0 });
    }
  }
}

/**
 * Where to go after a finished unit: undefined to stay, null to leave the course. Many courses send `logout` after each
 * completed unit, because the pipwerks wrapper does, so it leaves only from a unit that is not completed. After the last
 * unit, the page stays, because it may show the learner's result.
 */
function unitAfter(
  state: LinearState,
  { exit, now }: LinearEvent & { kind: 'finished' },
): PlayableUnit | null | undefined {
  const { current, units } = state;
  if (!current || exit === 'suspend') return undefined;
  if (exit !== 'logout') return neighbour(state, 1, now) ?? undefined;
  const hasEnded = ({ UnitID }: PlayableUnit) =>
    ['completed', 'passed', 'failed'].includes(statusIn(state, UnitID, now));
  if (!hasEnded(current)) return null;
  const at = units.indexOf(current);
  const others = [...units.slice(at + 1), ...units.slice(0, at)];
  return others.find((unit) => unit.Visible && !hasEnded(unit) && mayOpen(state, unit, now));
}

const withData = ({ data }: LinearState, unitID: string, changed: RunTimeData) =>
  new Map(data).set(unitID, changed);

/**
 * Data for a page without an API. Opening the page completes it, except in a web course, which the learner marks as
 * completed.
 */
export function pageData({ data, isWeb }: LinearState, unitID: string, seconds: number): RunTimeData {
  const before = data.get(unitID) ?? {};
  const completion = isWeb ? (before['lectern.completion'] ?? 'incomplete') : 'completed';
  return pageNotes(before, completion, seconds);
}

export function firstUnit(state: LinearState, lastUnitID: string | null): PlayableUnit | undefined {
  return resumedUnit(state.units, lastUnitID, {
    statusOf: (unitID) => statusIn(state, unitID, null),
    mayOpen: (unit) => unit.Visible && mayOpen(state, unit, null),
  });
}

export const unitOf = ({ units }: LinearState, unitID: string) =>
  units.find(({ UnitID }) => UnitID === unitID);

/** The next unit in this direction that may be opened. `now` is the current unit's snapshot, which has not been saved yet. */
export function neighbour(state: LinearState, step: 1 | -1, now: Snapshot | null): PlayableUnit | null {
  const { units, current } = state;
  if (!current) return null;
  const before = units.slice(0, units.indexOf(current)).reverse();
  const others = step === 1 ? units.slice(units.indexOf(current) + 1) : before;
  return others.find((unit) => unit.Visible && mayOpen(state, unit, now)) ?? null;
}

export function positionOf(state: LinearState, now: Snapshot | null): Position {
  const hasSeveral = state.units.length > 1;
  return {
    unit: state.current,
    finished: state.finished,
    previous: hasSeveral ? stepTo(state, -1, now) : null,
    next: hasSeveral ? stepTo(state, 1, now) : null,
    choice(unitID) {
      const unit = unitOf(state, unitID);
      if (!unit) return { may: false, why: null };
      return mayOpen(state, unit, now) ? offered : { may: false, why: messages.reasons.prerequisites };
    },
    shows: () => true,
    statusOf: (unitID) => statusIn(state, unitID, now),
    ...{ exitEnds: false, mayEnd: false },
  };
}

function stepTo(state: LinearState, step: 1 | -1, now: Snapshot | null): Offer {
  if (neighbour(state, step, now)) return offered;
  const { units, current } = state;
  const edge = (step === 1 ? units.findLast : units.find).call(units, ({ Visible }) => Visible);
  const isAtEdge = current === null || current === edge;
  const reason = !isAtEdge ? 'prerequisites' : step === 1 ? 'lastActivity' : 'firstActivity';
  return { may: false, why: messages.reasons[reason] };
}

function mayOpen(state: LinearState, { Prerequisites }: PlayableUnit, now: Snapshot | null): boolean {
  if (Prerequisites === null) return true;
  return isOpen(
    Prerequisites,
    statusesIn(state.nodes, (unitID) => statusIn(state, unitID, now)),
  );
}

function statusIn({ data, evidence }: LinearState, unitID: string, now: Snapshot | null): UnitStatus {
  const latest = now?.UnitID === unitID ? now.Data : data.get(unitID);
  return better(statusOf(evidence[unitID]), statusOfData(latest ?? {}));
}
