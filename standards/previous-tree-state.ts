import type { Activity, Course } from '../scorm/sequencing/course.ts';
import {
  type GlobalObjective,
  type SequencingState,
  stateVersion,
  type Track,
} from '../scorm/sequencing/state.ts';

/** A difference: `[value]` is a new value, `[]` a removed one, and an object a change within the value. */
type Change = unknown[] | { [key: string]: Change };

/**
 * The data that the previous engine stored for an activity or objective. Values equal to those of a fresh
 * tree are omitted.
 */
type Stored = Record<string, unknown>;

/**
 * Converts a state of the engine that the player used until November 2026. The state contains only changes to
 * a fresh tree, in which no results are known and no activity has been opened.
 */
export function convertPrevious(course: Course, changes: Change): SequencingState {
  const { sequencing = {}, sharedData = {} } = objectOf(plain(changes));
  const { currentActivity, suspendedActivity, activityStates, globalObjectiveMap } = objectOf(sequencing);
  const stored = new Map(Object.entries(objectOf(activityStates)));
  const idOf = (name: unknown) => (name === previousRootID ? course.root.id : textOf(name));
  return {
    ...{ version: stateVersion, now: 0, seed: 1, delivered: null },
    current: idOf(currentActivity),
    suspended: idOf(suspendedActivity),
    activities: course.activities.flatMap((activity): [string, Track][] => {
      const known = stored.get(activity.parent ? activity.id : previousRootID);
      return known === undefined ? [] : [[activity.id, trackFrom(course, activity, objectOf(known))]];
    }),
    globals: Object.entries(objectOf(globalObjectiveMap)).map(([id, known]) => [
      id,
      factsFrom(objectOf(known)),
    ]),
    buckets: Object.entries(objectOf(sharedData)).flatMap(([id, store]): [string, string][] =>
      typeof store === 'string' ? [[id, store]] : [],
    ),
  };
}

const previousRootID = 'lectern.root';

/** Converts a change to the values that it sets. */
function plain(change: Change): unknown {
  if (Array.isArray(change)) return change[0];
  return Object.fromEntries(Object.entries(change).map(([key, inner]) => [key, plain(inner)]));
}

function objectOf(value: unknown): Stored {
  return typeof value === 'object' && value !== null ? (value as Stored) : {};
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
const numberOf = (value: unknown) => (typeof value === 'number' ? value : null);

function completionOf(value: unknown): boolean | null {
  return value === 'completed' ? true : value === 'incomplete' ? false : null;
}

function trackFrom(course: Course, activity: Activity, known: Stored): Track {
  const fresh = course.freshTracks[activity.index];
  if (!fresh) throw new RangeError(`The activity ${activity.id} belongs to another course`);
  const attempts = numberOf(known.attemptCount) ?? 0;
  const began = Date.parse(textOf(known.attemptAbsoluteStartTime) ?? '');
  const objectives = Object.values(objectOf(objectOf(known.objectives).objectives));
  const positions = Object.keys(objectOf(objectOf(known.objectives).objectives)).map(Number);
  const isOpen = known.isActive === true || known.isSuspended === true;
  const isOld = (flag: unknown) => flag === false && attempts > 0;
  return {
    ...fresh,
    active: known.isActive === true,
    suspended: known.isSuspended === true,
    attempts,
    order: orderFrom(activity, objectOf(known.selectionRandomizationState)),
    objectives: fresh.objectives.map((objective, position) => {
      if (position === activity.primary) return { ...objective, ...primaryFrom(known) };
      const at = positions.indexOf(positionInPrevious(activity, position));
      return at < 0 ? objective : { ...objective, ...objectiveFrom(objectOf(objectives[at])) };
    }),
    oldObjectives: isOld(known.objectiveInfoAvailableInCurrentParentAttempt),
    oldProgress: isOld(known.progressInfoAvailableInCurrentParentAttempt),
    // The previous engine kept the start time of attempts that had ended.
    attemptBegan: isOpen && !Number.isNaN(began) ? began : null,
  };
}

/** The previous engine listed the primary objective first. */
function positionInPrevious({ primary }: Activity, position: number): number {
  return position < primary ? position + 1 : position;
}

function primaryFrom(known: Stored): Omit<GlobalObjective, 'raw' | 'min' | 'max'> {
  return {
    satisfied: known.objectiveSatisfiedStatusKnown === true ? known.objectiveSatisfiedStatus === true : null,
    measure: known.objectiveMeasureStatus === true ? (numberOf(known.objectiveNormalizedMeasure) ?? 0) : null,
    completed: completionOf(known.completionStatus),
    progress: known.progressMeasureStatus === true ? (numberOf(known.progressMeasure) ?? 0) : null,
  };
}

function objectiveFrom(known: Stored): Omit<GlobalObjective, 'raw' | 'min' | 'max'> {
  return {
    satisfied: known.progressStatus === true ? known.satisfiedStatus === true : null,
    measure: known.measureStatus === true ? (numberOf(known.normalizedMeasure) ?? 0) : null,
    completed: completionOf(known.completionStatus),
    progress: known.progressMeasureStatus === true ? (numberOf(known.progressMeasure) ?? 0) : null,
  };
}

function factsFrom(known: Stored): GlobalObjective {
  const score = (name: string) => {
    const value = known[`${name}Known`] === true ? Number(known[name]) : Number.NaN;
    return Number.isNaN(value) ? null : value;
  };
  return {
    satisfied: known.satisfiedStatusKnown === true ? known.satisfiedStatus === true : null,
    measure: known.normalizedMeasureKnown === true ? (numberOf(known.normalizedMeasure) ?? 0) : null,
    raw: score('rawScore'),
    min: score('minScore'),
    max: score('maxScore'),
    completed: known.completionStatusKnown === true ? completionOf(known.completionStatus) : null,
    progress: known.progressMeasureKnown === true ? (numberOf(known.progressMeasure) ?? 0) : null,
  };
}

/** The selected children in their order. Null means all children in manifest order. */
function orderFrom({ children }: Activity, known: Stored): number[] | null {
  const changed = objectOf(known.childOrder);
  const order = children.map(({ id }, position) => textOf(changed[position]) ?? id);
  const selected = new Set<unknown>(Array.isArray(known.selectedChildIds) ? known.selectedChildIds : order);
  const positionOf = new Map(children.map(({ id }, position) => [id, position]));
  const positions = order.filter((id) => selected.has(id)).map((id) => positionOf.get(id) ?? -1);
  const isWhole = positions.length === children.length && positions.every((at, index) => at === index);
  return isWhole || positions.length === 0 ? null : positions.filter((at) => at >= 0);
}
