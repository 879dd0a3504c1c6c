import type { RunTimeData } from '../standards/types.ts';
import type { Snapshot } from './commits.ts';
import type { Session } from './contract.ts';
import { newAttempt2004, nextSession2004, resumedAttempt2004 } from './session2004.ts';
import { type PlayableUnit, playableUnits } from './units.ts';

export type SequencedState = {
  readonly units: readonly PlayableUnit[];
  /** The data from which each unit next starts. */
  data: ReadonlyMap<string, RunTimeData>;
  /** Whether the engine's state was restored from earlier visits. If not, every unit is resumed. */
  known: boolean;
  current: PlayableUnit | null;
  /** The last snapshot of the most recently left unit. */
  last: Snapshot | null;
  /** Whether the current unit's page has loaded. */
  shown: boolean;
  finished: boolean;
  /** Requests that have turned out to be impossible from here. */
  futile: ReadonlySet<string>;
  /** The engine is about to decide. */
  moving: boolean;
  leaving: boolean;
  over: boolean;
};

/** The engine's decision about a request; `active` is the unit it has open. */
export type Decision = {
  request: string;
  delivered: { id: string; deliveryWasResumed?: boolean } | null;
  ended: boolean;
  active: string | null;
};

export type SequencedEvent =
  | { kind: 'finished'; exit: string; request: string | null }
  | { kind: 'moving' }
  /** The page has been closed. Now the engine is asked. */
  | { kind: 'closed'; last: Snapshot | null }
  | ({ kind: 'decided'; from: PlayableUnit | null } & Decision)
  | { kind: 'loaded'; unit: PlayableUnit; isThere: boolean }
  | { kind: 'leaving' }
  | { kind: 'left' };

export type SequencedEffect =
  | { kind: 'moved' }
  /** Called once the content has its response. Null checks whether the finished unit unlocks others. */
  | { kind: 'follow'; request: string | null }
  | { kind: 'show'; unit: PlayableUnit; data: RunTimeData }
  | { kind: 'save-now' }
  | { kind: 'missing'; unit: PlayableUnit }
  | { kind: 'ended' };

export type Step = { state: SequencedState; effects: SequencedEffect[] };

export function beginSequenced({
  Tree,
  Data,
  TreeState,
}: Pick<Session, 'Tree' | 'Data' | 'TreeState'>): SequencedState {
  return {
    ...{ units: playableUnits(Tree), data: new Map(Object.entries(Data)), known: TreeState !== null },
    ...{ current: null, last: null, shown: false, finished: false, futile: new Set<string>() },
    ...{ moving: false, leaving: false, over: false },
  };
}

export function reduceSequenced(state: SequencedState, event: SequencedEvent): Step {
  const to = (changes: Partial<SequencedState>, ...effects: SequencedEffect[]): Step => ({
    state: { ...state, ...changes },
    effects,
  });
  switch (event.kind) {
    case 'finished': {
      if (state.moving) return to({});
      const leaves = event.exit === 'logout' || event.exit === 'time-out';
      const request = event.request ?? (leaves ? 'exitAll' : null);
      return to({ finished: true }, { kind: 'moved' }, { kind: 'follow', request });
    }
    case 'moving':
      return to({ moving: true });
    case 'closed': {
      const { current } = state;
      const { last } = event;
      if (!current || !last) return to({});
      const next = current.Kind === 'sco' ? nextSession2004(last.Data) : last.Data;
      return to({ last, data: new Map(state.data).set(current.UnitID, next) });
    }
    case 'decided':
      return arrive({ ...state, moving: false }, event);
    case 'loaded': {
      const { unit, isThere } = event;
      if (state.current !== unit) return to({});
      if (!isThere) return to({ shown: false }, { kind: 'missing', unit });
      return unit.Kind === 'sco' ? to({ shown: true }) : to({ shown: true }, { kind: 'save-now' });
    }
    case 'leaving':
      return to({ moving: true, leaving: true });
    case 'left':
      return to({ over: true, current: null });
  }
}

function arrive(
  state: SequencedState,
  { from, request, ...engine }: SequencedEvent & { kind: 'decided' },
): Step {
  const { delivered, ended, active } = engine;
  const unit = state.units.find(({ UnitID }) => UnitID === delivered?.id);
  const fresh = delivered ? { ...state, futile: new Set<string>() } : state;
  if (unit && delivered) return open(fresh, unit, delivered.deliveryWasResumed === true);
  if (ended) return { state: { ...fresh, current: null, over: true }, effects: [{ kind: 'ended' }] };
  // The request was refused before anything was left, so the unit continues.
  if (from && active === from.UnitID) return open(fresh, from, true);
  const futile = new Set([...fresh.futile, request]);
  return { state: { ...fresh, current: null, futile, finished: true }, effects: [{ kind: 'moved' }] };
}

function open(state: SequencedState, unit: PlayableUnit, isResumed: boolean): Step {
  const before = state.data.get(unit.UnitID) ?? {};
  const data = isResumed || !state.known ? resumedAttempt2004(before) : newAttempt2004(before);
  return {
    state: { ...state, current: unit, known: true, finished: false, shown: false },
    effects: [{ kind: 'show', unit, data }],
  };
}
