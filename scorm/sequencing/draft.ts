import type { Activity, Course } from './course.ts';
import {
  type GlobalObjective,
  type ObjectiveTrack,
  type SequencingState,
  stateVersion,
  type Track,
  unknownObjective,
} from './state.ts';

/**
 * A working copy of the state for one request or trial. Tracks are replaced, never modified. Therefore,
 * copying a draft is cheap, and a trial does not affect the original.
 */
export type Draft = {
  readonly course: Course;
  readonly tracks: Readonly<Track>[];
  readonly globals: Map<string, GlobalObjective>;
  /** Changed global objectives whose readers have not been rolled up yet. */
  readonly changedGlobals: Set<string>;
  buckets: ReadonlyMap<string, string>;
  current: Activity | null;
  suspended: Activity | null;
  delivered: number | null;
  now: number;
  seed: number;
};

export function openDraft(course: Course, state: SequencingState, now: number): Draft {
  const tracks = [...course.freshTracks];
  for (const [id, track] of state.activities) {
    const activity = course.byID.get(id);
    if (activity) tracks[activity.index] = fitting(activity, track);
  }
  const activityOf = (id: string | null) => (id === null ? null : (course.byID.get(id) ?? null));
  return {
    course,
    tracks,
    globals: new Map(state.globals),
    changedGlobals: new Set(),
    buckets: new Map(state.buckets),
    current: activityOf(state.current),
    suspended: activityOf(state.suspended),
    delivered: state.delivered,
    now: Math.max(now, state.now),
    seed: state.seed,
  };
}

/**
 * Adapts a stored track to the activity. A new release may have changed the objectives or children, and a
 * state sent by a browser may list a child twice.
 */
function fitting({ objectives, children }: Activity, track: Track): Track {
  const isSame =
    track.objectives.length === objectives.length &&
    objectives.every(({ ObjectiveID }, index) => track.objectives[index]?.id === ObjectiveID);
  const order = track.order && isOrder(track.order, children.length) ? track.order : null;
  if (isSame && order === track.order) return track;
  const known = new Map(track.objectives.map((objective) => [objective.id, objective]));
  const kept = objectives.map(({ ObjectiveID: id }) => known.get(id) ?? { id, ...unknownObjective });
  return { ...track, order, objectives: kept };
}

/**
 * Whether each position refers to a child and occurs only once. Otherwise, iterating over the children might
 * never end.
 */
function isOrder(order: readonly number[], count: number): boolean {
  const isPosition = (position: number) => Number.isInteger(position) && position >= 0 && position < count;
  return order.length <= count && order.every(isPosition) && new Set(order).size === order.length;
}

/** A copy for a trial. */
export function fork(draft: Draft): Draft {
  return {
    ...draft,
    tracks: [...draft.tracks],
    globals: new Map(draft.globals),
    changedGlobals: new Set(draft.changedGlobals),
  };
}

export function closeDraft(draft: Draft): SequencingState {
  const { course, tracks, globals, buckets, current, suspended, delivered, now, seed } = draft;
  const used = course.activities.filter(({ index }) => tracks[index] !== course.freshTracks[index]);
  return {
    version: stateVersion,
    now,
    seed,
    current: current?.id ?? null,
    suspended: suspended?.id ?? null,
    delivered,
    activities: used.map((activity) => [activity.id, trackOf(draft, activity)]),
    globals: [...globals],
    buckets: [...buckets],
  };
}

export function trackOf(draft: Draft, { index, id }: Activity): Readonly<Track> {
  const track = draft.tracks[index];
  if (!track) throw new RangeError(`The activity ${id} belongs to another course`);
  return track;
}

export function change(draft: Draft, activity: Activity, changes: Partial<Track>): void {
  const old = trackOf(draft, activity);
  draft.tracks[activity.index] = { ...old, ...changes };
}

export function changeObjective(
  draft: Draft,
  activity: Activity,
  position: number,
  changes: Partial<ObjectiveTrack>,
): void {
  const { objectives } = trackOf(draft, activity);
  const changed = objectives.map((each, index) => (index === position ? { ...each, ...changes } : each));
  change(draft, activity, { objectives: changed });
}

export function objectiveTrack(draft: Draft, activity: Activity, position: number): Readonly<ObjectiveTrack> {
  const track = trackOf(draft, activity).objectives[position];
  if (!track) throw new RangeError(`The activity ${activity.id} has no objective ${position}`);
  return track;
}
