/** The values of one objective of one activity; null means unknown. SN §4.2.1.1, with the scores of the 4th edition. */
export type ObjectiveTrack = {
  id: string | null;
  satisfied: boolean | null;
  measure: number | null;
  raw: number | null;
  min: number | null;
  max: number | null;
  /** The completion of the primary objective is that of the activity's attempt (SN §4.2.1.3). */
  completed: boolean | null;
  progress: number | null;
};

/** SN §4.2.1: the tracking model of one activity. */
export type Track = {
  active: boolean;
  suspended: boolean;
  attempts: number;
  /** The positions of the available children; null if all are available in manifest order (SN §4.8). */
  order: number[] | null;
  objectives: ObjectiveTrack[];
  /** Whether the results are from an earlier attempt on the parent and therefore do not count in its roll-up. */
  oldObjectives: boolean;
  oldProgress: boolean;
  /** Whether the content itself set completion and success, even if only to `unknown`. */
  setsCompletion: boolean;
  setsSuccess: boolean;
  /** Milliseconds. */
  attemptBegan: number | null;
  attemptExperienced: number;
  activityExperienced: number;
};

/** The values that activities share through an objective's maps. */
export type GlobalObjective = Omit<ObjectiveTrack, 'id'>;

export const stateVersion = 1;

/**
 * The complete sequencing state as plain JSON. Activities that were never used are omitted. It uses lists of pairs,
 * because identifiers come from manifests and may collide with properties that every object has.
 */
export type SequencingState = {
  version: typeof stateVersion;
  /** The time of the last request, in milliseconds. */
  now: number;
  /** The state of the random number generator. */
  seed: number;
  current: string | null;
  suspended: string | null;
  /** When the current activity was delivered, in milliseconds. */
  delivered: number | null;
  activities: [id: string, track: Track][];
  globals: [id: string, objective: GlobalObjective][];
  /** `adl.data`: the content of each bucket. */
  buckets: [id: string, store: string][];
};

export const unknownObjective: GlobalObjective = {
  satisfied: null,
  measure: null,
  raw: null,
  min: null,
  max: null,
  completed: null,
  progress: null,
};
