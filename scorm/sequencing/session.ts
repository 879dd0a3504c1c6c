import type { RunTimeData } from '../../standards/types.ts';
import { checkActivity } from './attempts.ts';
import type { Course } from './course.ts';
import { closeDraft, type Draft, openDraft, trackOf } from './draft.ts';
import { overallSequencing } from './overall.ts';
import { type Prediction, predict as predictDraft } from './prediction.ts';
import { type NavigationRequest, parseRequest, type Reason, type Refusal } from './requests.ts';
import { overallRollup, statusOf } from './rollup.ts';
import {
  type Bucket,
  bucketsOf,
  initialData,
  transferRunTimeData,
  transferSharedData,
} from './run-time-data.ts';
import { prepareChildren } from './selection.ts';
import { type GlobalObjective, type SequencingState, stateVersion } from './state.ts';
import { isLeaf, pathFromRoot } from './tree.ts';

/** Data shared with the learner's other courses and earlier attempts. */
export type Shared = {
  globals?: readonly [id: string, objective: GlobalObjective][];
  buckets?: readonly [id: string, store: string][];
};

export type Answer =
  /** A unit is delivered. */
  | { kind: 'delivered' }
  /** The sequencing session has ended. */
  | { kind: 'ended' }
  /** The request was granted, but nothing is open now. */
  | { kind: 'nothing' }
  | { kind: 'refused'; refusal: Refusal };

export type Delivery = {
  unitID: string;
  /** Whether a suspended attempt is resumed. */
  isResumed: boolean;
};

export type Result = { state: SequencingState; answer: Answer; delivery: Delivery | null };

/** The state of a course that the learner has not opened yet. The seed determines selection and randomization. */
export function createState(
  course: Course,
  { seed, now, ...shared }: { seed: number; now: number } & Shared,
): SequencingState {
  const empty: SequencingState = {
    ...{ version: stateVersion, now, seed, current: null, suspended: null, delivered: null },
    ...{ activities: [], globals: [], buckets: [] },
  };
  const draft = openDraft(course, withShared(course, empty, shared), now);
  for (const activity of course.activities) prepareChildren(draft, activity);
  return closeDraft(draft);
}

/**
 * Adds the values that other courses have changed since the last request, if the manifest maps them for
 * reading.
 */
export function withShared(
  course: Course,
  state: SequencingState,
  { globals = [], buckets = [] }: Shared,
): SequencingState {
  const { read } = course.shared;
  const objectives = globals.filter(([id]) => read.objectives.has(id));
  const data = buckets.filter(([id]) => read.buckets.has(id));
  return {
    ...state,
    globals: [...new Map([...state.globals, ...objectives])],
    buckets: [...new Map([...state.buckets, ...data])],
  };
}

/** The data that this course shares with the learner's other courses. */
export function sharedOf(course: Course, { globals, buckets }: SequencingState): Required<Shared> {
  return {
    globals: course.objectivesGlobalToSystem ? globals : [],
    buckets: course.sharedDataGlobalToSystem ? buckets : [],
  };
}

/** Processes one navigation request. */
export function request(
  course: Course,
  state: SequencingState,
  navigation: NavigationRequest,
  now: number,
): Result {
  return requestIn(openDraft(course, state, now), navigation);
}

function requestIn(draft: Draft, navigation: NavigationRequest): Result {
  const outcome = overallSequencing(draft, navigation);
  const state = closeDraft(draft);
  if (outcome.kind === 'refused')
    return { state, answer: { kind: 'refused', refusal: outcome.refusal }, delivery: null };
  if (outcome.kind !== 'delivered') return { state, answer: { kind: outcome.kind }, delivery: null };
  const { activity, isResumed } = outcome;
  return { state, answer: { kind: 'delivered' }, delivery: { unitID: activity.id, isResumed } };
}

/**
 * Starts or resumes the course. If a unit is still open because its page disappeared, the course is suspended
 * first. Otherwise, neither `start` nor `resumeAll` would be valid. If only a group is suspended, the course
 * starts again.
 */
export function launch(course: Course, state: SequencingState, now: number): Result {
  const draft = openDraft(course, state, now);
  if (draft.current) overallSequencing(draft, { kind: 'suspendAll' });
  const isResumable = draft.suspended !== null && isLeaf(draft.suspended);
  return requestIn(draft, { kind: isResumable ? 'resumeAll' : 'start' });
}

export type UnitReport = {
  unitID: string;
  data: RunTimeData;
  /** The values that the content wrote to shared data. */
  buckets?: ReadonlyMap<string, string | null>;
};

export type UnitEnd = UnitReport & {
  /** `adl.nav.request` as set by the content. */
  contentRequest?: string | null;
  /** The learner's request, which takes precedence over the content's request. */
  request?: NavigationRequest;
};

const isOpen = (draft: Draft, unitID: string) =>
  draft.current?.id === unitID && trackOf(draft, draft.current).active;

/**
 * The state with the data that the open unit has reported so far. The player saves it and uses it to predict
 * which requests will be allowed when the unit ends. The attempt itself continues from the previous state.
 */
export function reported(course: Course, state: SequencingState, report: UnitReport): SequencingState {
  const draft = openDraft(course, state, state.now);
  const { current } = draft;
  if (!current || !isOpen(draft, report.unitID)) return state;
  transferSharedData(draft, current, report.buckets ?? new Map());
  transferRunTimeData(draft, current, report.data);
  overallRollup(draft, current);
  return closeDraft(draft);
}

/**
 * Records the data that the open unit reported at its end, and processes the request made by the learner or
 * the content. If there is no request, the attempt ends with the next request.
 */
export function unitEnded(course: Course, state: SequencingState, end: UnitEnd, now: number): Result {
  const draft = openDraft(course, state, now);
  const { current } = draft;
  const wasOpen = isOpen(draft, end.unitID);
  const navigation = end.request ?? requestOf(end);
  if (current && wasOpen) {
    transferSharedData(draft, current, end.buckets ?? new Map());
    const isAbandoned = navigation?.kind === 'abandon' || navigation?.kind === 'abandonAll';
    if (!isAbandoned) transferRunTimeData(draft, current, end.data);
    if (!navigation) overallRollup(draft, current);
  }
  if (navigation && (wasOpen || end.request)) return requestIn(draft, navigation);
  return { state: closeDraft(draft), answer: { kind: 'nothing' }, delivery: null };
}

/** RTE §4.2.8 and §4.4: some exit values imply a request if the content has not made one. */
function requestOf({ data, contentRequest }: UnitEnd): NavigationRequest | null {
  const exit = data['cmi.exit'];
  const said = parseRequest(contentRequest ?? '');
  return said ?? (exit === 'logout' || exit === 'time-out' ? { kind: 'exitAll' } : null);
}

/**
 * The requests and activities that are available now, and the reasons why others are not. Changes no state.
 */
export function predict(course: Course, state: SequencingState, now: number): Prediction {
  return predictDraft(openDraft(course, state, now));
}

export type Blocked = { id: string; title: string; refusal: Refusal };

const contentsReasons: readonly Reason[] = [
  ...(['stopForwardTraversal', 'preventActivation', 'constrainChoice', 'choiceExitOff'] as const),
];

/**
 * The units that a rule or limit keeps closed now, each with its reason. Units that are closed only because
 * of their order are not included.
 */
export function blockedUnits(course: Course, state: SequencingState, now: number): Blocked[] {
  const draft = openDraft(course, state, now);
  const contents = new Map(predictDraft(draft).contents.map((entry) => [entry.id, entry.refusal]));
  return course.activities.filter(isLeaf).flatMap((leaf): Blocked[] => {
    const prevented = pathFromRoot(leaf).map((each) => checkActivity(draft, each, 'DB.1.1-3'));
    const chosen = contents.get(leaf.id);
    const relevant = chosen && contentsReasons.includes(chosen.reason) ? chosen : null;
    const refusal = prevented.find((found) => found !== null)?.refusal ?? relevant;
    return refusal ? [{ id: leaf.id, title: leaf.title, refusal }] : [];
  });
}

/**
 * The initial run-time data for the delivered unit. `stored` is the unit's data from the end of its last
 * session.
 */
export function dataFor(
  course: Course,
  state: SequencingState,
  { unitID, isResumed }: Delivery,
  stored: RunTimeData = {},
): RunTimeData {
  const activity = course.byID.get(unitID);
  return activity ? initialData(openDraft(course, state, state.now), activity, stored, isResumed) : stored;
}

/** The shared data of the unit (`adl.data`). */
export function bucketsFor(course: Course, state: SequencingState, unitID: string): Bucket[] {
  const activity = course.byID.get(unitID);
  return activity ? bucketsOf(openDraft(course, state, state.now), activity) : [];
}

export type ActivityStatus = ReturnType<typeof statusOf>;

/** The tracking data of each activity, starting with the root. */
export function statuses(course: Course, state: SequencingState): [id: string, status: ActivityStatus][] {
  const draft = openDraft(course, state, state.now);
  return course.activities.map((activity) => [activity.id, statusOf(draft, activity)]);
}
