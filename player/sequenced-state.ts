import { type Course, prepareCourse } from '../scorm/sequencing/course.ts';
import type { NavigationRequest } from '../scorm/sequencing/requests.ts';
import {
  type Answer,
  createState,
  type Delivery,
  dataFor,
  launch,
  predict,
  type Result,
  request,
  type UnitEnd,
  unitEnded,
  withShared,
} from '../scorm/sequencing/session.ts';
import type { SequencingState } from '../scorm/sequencing/state.ts';
import { hasReported } from '../standards/assets.ts';
import { readTreeState } from '../standards/tree-state.ts';
import type { RunTimeData } from '../standards/types.ts';
import type { Snapshot } from './commits.ts';
import type { Session } from './contract.ts';
import { type PlayableUnit, playableUnits } from './units.ts';

export type SequencedState = {
  readonly course: Course;
  readonly units: readonly PlayableUnit[];
  /** The sequencing state, without the results that the open unit has reported since it was opened. */
  sequencing: SequencingState;
  /** Each unit's data at the end of its last session. */
  data: ReadonlyMap<string, RunTimeData>;
  /** Whether the sequencing state was restored from earlier visits. If not, the first unit is resumed. */
  known: boolean;
  /** A review shows each unit with its stored data, even if the unit has ended. */
  isReview: boolean;
  current: PlayableUnit | null;
  /** The last snapshot of the most recently left unit. */
  last: Snapshot | null;
  /** Whether the current unit's page has loaded. */
  shown: boolean;
  finished: boolean;
  /** Whether a page is being closed. After that, sequencing chooses the next unit. */
  moving: boolean;
  leaving: boolean;
  over: boolean;
};

/** What a unit has reported, without the learner's requests. */
export type Report = Omit<UnitEnd, 'request'>;

/** The result of closing a unit: its report for sequencing, and the data to store. */
export type LeftUnit = { report: Report; data: RunTimeData };

export type SequencedEvent =
  | { kind: 'started'; now: number }
  | { kind: 'begun' }
  /** The content has ended its session. */
  | { kind: 'finished'; report: Report }
  | { kind: 'moving' }
  /** The page has been closed. `left` is null if its content never used the API. */
  | { kind: 'closed'; left: LeftUnit | null; asked: NavigationRequest | null; now: number }
  | { kind: 'saved'; last: Snapshot }
  | { kind: 'loaded'; unit: PlayableUnit; isThere: boolean }
  | { kind: 'leaving' }
  | { kind: 'left'; left: LeftUnit | null; how: 'suspendAll' | 'exitAll'; now: number };

export type SequencedEffect =
  | { kind: 'moved' }
  /** The content made a navigation request. It is carried out once the content's call has returned. */
  | { kind: 'follow' }
  | { kind: 'show'; unit: PlayableUnit; data: RunTimeData }
  /** The page's completion is saved after a delay. */
  | { kind: 'note' }
  | { kind: 'missing'; unit: PlayableUnit }
  | { kind: 'ended' };

export type Step = { state: SequencedState; effects: SequencedEffect[] };

export function beginSequenced(
  session: Pick<Session, 'Mode' | 'Tree' | 'Data' | 'TreeState' | 'Shared' | 'CourseTitle'>,
  { seed, now }: { seed: number; now: number },
): SequencedState {
  const { Mode, Tree, Data, TreeState, Shared, CourseTitle } = session;
  const course = prepareCourse(Tree, CourseTitle);
  const restored = TreeState === null ? null : readTreeState(course, TreeState);
  const sequencing = restored
    ? withShared(course, restored, Shared)
    : createState(course, { seed, now, ...Shared });
  return {
    ...{ course, units: playableUnits(Tree), data: new Map(Object.entries(Data)) },
    ...{ sequencing, known: restored !== null, isReview: Mode === 'review' },
    ...{ current: null, last: null, shown: false, finished: false },
    ...{ moving: false, leaving: false, over: false },
  };
}

export function reduceSequenced(state: SequencedState, event: SequencedEvent): Step {
  const to = (changes: Partial<SequencedState>, ...effects: SequencedEffect[]): Step => ({
    state: { ...state, ...changes },
    effects,
  });
  switch (event.kind) {
    case 'started':
      return start(state, event.now);
    case 'begun':
      return to({ finished: false }, { kind: 'moved' });
    case 'finished': {
      if (state.moving) return to({});
      const { contentRequest, data } = event.report;
      const isAsking = contentRequest != null || /^(?:logout|time-out)$/.test(data['cmi.exit'] ?? '');
      const effects: SequencedEffect[] = isAsking ? [{ kind: 'follow' }] : [];
      return to({ finished: true }, { kind: 'moved' }, ...effects);
    }
    case 'moving':
      return to({ moving: true });
    case 'closed': {
      const { left, asked, now } = event;
      const data = left ? withLeft(state, left) : state.data;
      const ended = endUnit(state, left?.report ?? null, asked, now);
      return arrive({ ...state, data, moving: false }, ended, asked);
    }
    case 'saved':
      return to({ last: event.last });
    case 'loaded': {
      const { unit, isThere } = event;
      if (state.current !== unit) return to({});
      if (!isThere) return to({ shown: false }, { kind: 'missing', unit });
      return unit.Kind === 'sco' ? to({ shown: true }) : to({ shown: true }, { kind: 'note' });
    }
    case 'leaving':
      return to({ moving: true, leaving: true });
    case 'left': {
      if (state.over) return to({ current: null });
      const { left, how, now } = event;
      const { state: sequencing } = endUnit(state, left?.report ?? null, { kind: how }, now);
      return to({ over: true, current: null, sequencing });
    }
  }
}

/** A page's notes do not replace the system data with which its unit may use the API later. */
function withLeft({ data }: SequencedState, left: LeftUnit): SequencedState['data'] {
  const { unitID } = left.report;
  const before = hasReported(left.data) ? {} : data.get(unitID);
  return new Map(data).set(unitID, { ...before, ...left.data });
}

/** `report` is null if the content never used the API. */
function endUnit(
  { course, sequencing, current }: SequencedState,
  report: Report | null,
  asked: NavigationRequest | null,
  now: number,
): Result {
  if (!current) return asked ? request(course, sequencing, asked, now) : nothingAsked(sequencing);
  const end = report ?? { unitID: current.UnitID, data: {} };
  return unitEnded(course, sequencing, asked ? { ...end, request: asked } : end, now);
}

const nothingAsked = (state: SequencingState): Result => ({
  ...{ state, answer: { kind: 'nothing' }, delivery: null },
});

/** If nothing starts automatically, chooses the first available entry in the contents list. */
function start(state: SequencedState, now: number): Step {
  const { course } = state;
  const begun = launch(course, state.sequencing, now);
  if (begun.delivery) return arrive(state, begun, null);
  const { contents } = predict(course, begun.state, now);
  const first = contents.find(({ visible, allowed }) => visible && allowed);
  if (!first) return arrive(state, { ...begun, answer: { kind: 'nothing' } }, null);
  return arrive(state, request(course, begun.state, { kind: 'choice', target: first.id }, now), null);
}

function arrive(before: SequencedState, result: Result, asked: NavigationRequest | null): Step {
  const state = { ...before, sequencing: result.state };
  const unit = state.units.find(({ UnitID }) => UnitID === result.delivery?.unitID);
  if (unit && result.delivery) return open(state, unit, result.delivery);
  if (result.answer.kind === 'ended')
    return { state: { ...state, current: null, over: true }, effects: [{ kind: 'ended' }] };
  // The request was rejected before the unit was closed, so the unit continues.
  if (state.current && stillOpen(state, result.answer)) {
    if (!asked) return { state, effects: [{ kind: 'moved' }] };
    return open(state, state.current, { unitID: state.current.UnitID, isResumed: true });
  }
  return { state: { ...state, current: null, finished: true }, effects: [{ kind: 'moved' }] };
}

function stillOpen({ sequencing, current }: SequencedState, answer: Answer): boolean {
  const track = sequencing.activities.find(([id]) => id === current?.UnitID)?.[1];
  return answer.kind === 'refused' && sequencing.current === current?.UnitID && track?.active === true;
}

/** Whether the request of finished content would leave the unit. If not, the content's page stays open. */
export function leavesUnit(state: SequencedState, report: Report, now: number): boolean {
  const result = endUnit(state, report, null, now);
  return !stillOpen({ ...state, sequencing: result.state }, result.answer);
}

function open(state: SequencedState, unit: PlayableUnit, delivery: Delivery): Step {
  const { course, sequencing, known, isReview } = state;
  const stored = state.data.get(unit.UnitID) ?? {};
  const continues = isReview || !known;
  const isResumed = delivery.isResumed || (continues && (stored['cmi.entry'] ?? 'ab-initio') !== 'ab-initio');
  const data = dataFor(course, sequencing, { ...delivery, isResumed }, stored);
  return {
    state: { ...state, current: unit, known: true, finished: false, shown: false },
    effects: [{ kind: 'show', unit, data }],
  };
}
