/**
 * The values of one objective of an activity (SN §4.2.1.1), with the scores of the 4th edition. Null means
 * unknown.
 */
export type ObjectiveTrack = {
  id: string | null;
  satisfied: boolean | null;
  measure: number | null;
  raw: number | null;
  min: number | null;
  max: number | null;
  /** For the primary objective, this is the completion of the activity's attempt (SN §4.2.1.3). */
  completed: boolean | null;
  progress: number | null;
};

/** SN §4.2.1: the tracking model of one activity. */
export type Track = {
  active: boolean;
  suspended: boolean;
  attempts: number;
  /** The positions of the available children. Null if all are available in manifest order (SN §4.8). */
  order: number[] | null;
  objectives: ObjectiveTrack[];
  /**
   * Whether the results are from an earlier attempt on the parent. If so, the parent's roll-up ignores them.
   */
  oldObjectives: boolean;
  oldProgress: boolean;
  /** Whether the content itself set completion and success. Setting `unknown` also counts. */
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
 * The complete sequencing state as plain JSON. Unused activities are omitted. Pairs are used instead of
 * objects, because identifiers in manifests can collide with built-in properties such as `constructor`.
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
  /** The `adl.data` buckets. */
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
