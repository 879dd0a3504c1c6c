import { parseSeconds } from '../../standards/durations.ts';
import { plainIdentifier, positionsOf, withPlainIdentifiers } from '../../standards/objectives.ts';
import type {
  CourseTree,
  Objective,
  RollupRule,
  Sequencing,
  SequencingRule,
  Unit,
} from '../../standards/types.ts';
import { type Sources, sourcesOf } from './global-facts.ts';
import { type Track, unknownObjective } from './state.ts';

/** The root's identifier in stored trees that lack the organization's identifier. */
export const rootID = 'lectern.root';

/** A rule with its position in `Sequencing.Rules`, which explanations refer to. */
export type IndexedRule = SequencingRule & { index: number };

/** SN §3: the sequencing definition of one activity, prepared for quick evaluation. */
export type Activity = {
  readonly index: number;
  readonly id: string;
  readonly title: string;
  readonly unit: Unit | null;
  readonly parent: Activity | null;
  readonly children: Activity[];
  /** The position among its siblings, as in the manifest. */
  readonly position: number;
  readonly depth: number;
  readonly sequencing: Sequencing;
  readonly rules: ReadonlyMap<string, readonly IndexedRule[]>;
  readonly rollupRules: ReadonlyMap<string, readonly RollupRule[]>;
  readonly objectives: readonly Objective[];
  /** Indexed by objective. */
  readonly sources: readonly Sources[];
  /** The index of each objective, by its ID. */
  readonly positions: ReadonlyMap<string, number>;
  /** The index of the primary objective, which contributes to roll-up. */
  readonly primary: number;
  readonly completedByMeasure: boolean;
  readonly minProgressMeasure: number;
  readonly progressWeight: number;
  readonly sharedData: Unit['SharedData'];
  /** Seconds, or null. */
  readonly durationLimit: number | null;
};

/** Global objectives and shared data buckets. */
export type SharedNames = { readonly objectives: ReadonlySet<string>; readonly buckets: ReadonlySet<string> };

export type Course = {
  readonly root: Activity;
  /** In tree order: parents come before their children. */
  readonly activities: readonly Activity[];
  readonly byID: ReadonlyMap<string, Activity>;
  /** For each global objective, the activities that read it through a map. */
  readonly readers: ReadonlyMap<string, readonly Activity[]>;
  /** For each global objective, the activities that write it through a map. */
  readonly writers: ReadonlyMap<string, readonly Activity[]>;
  /**
   * The names that the manifest maps for reading values from the learner's other courses, and for writing
   * values for them.
   */
  readonly shared: { readonly read: SharedNames; readonly written: SharedNames };
  /** The initial tracking data of each activity, by activity index. */
  readonly freshTracks: readonly Readonly<Track>[];
  readonly objectivesGlobalToSystem: boolean;
  readonly sharedDataGlobalToSystem: boolean;
};

/** SN §3 and CAM §5.1: the defaults for activities that define no sequencing. */
export const defaultSequencing: Sequencing = {
  ControlMode: {
    Choice: true,
    ChoiceExit: true,
    Flow: false,
    ForwardOnly: false,
    UseCurrentAttemptObjectiveInfo: true,
    UseCurrentAttemptProgressInfo: true,
  },
  ConstrainedChoice: { PreventActivation: false, ConstrainChoice: false },
  Rules: [],
  Limits: { AttemptLimit: null, AttemptAbsoluteDurationLimit: null },
  RollupRules: {
    RollupObjectiveSatisfied: true,
    RollupProgressCompletion: true,
    ObjectiveMeasureWeight: 1,
    Rules: [],
  },
  RollupConsiderations: {
    RequiredForSatisfied: 'always',
    RequiredForNotSatisfied: 'always',
    RequiredForCompleted: 'always',
    RequiredForIncomplete: 'always',
    MeasureSatisfactionIfActive: true,
  },
  Objectives: [],
  Randomization: {
    RandomizationTiming: 'never',
    SelectCount: null,
    ReorderChildren: false,
    SelectionTiming: 'never',
  },
  Delivery: { Tracked: true, CompletionSetByContent: false, ObjectiveSetByContent: false },
};

const anonymousPrimary: Objective = {
  ObjectiveID: null,
  Primary: true,
  SatisfiedByMeasure: false,
  MinNormalizedMeasure: 1,
  Maps: [],
};

const inOrder: Sequencing = {
  ...defaultSequencing,
  ControlMode: { ...defaultSequencing.ControlMode, Flow: true },
};

/** If no part of the course defines sequencing, its author expects it to be played in order. */
function defaultOf({ Sequencing, Units }: CourseTree): Sequencing {
  const saysNothing = (units: readonly Unit[]): boolean =>
    units.every((unit) => unit.Sequencing === null && saysNothing(unit.Children));
  return Sequencing === null && saysNothing(Units) ? inOrder : defaultSequencing;
}

/**
 * Prepares a release's tree. The result depends only on the tree, so callers can cache it for each release.
 */
export function prepareCourse(tree: CourseTree, title: string): Course {
  const activities: Activity[] = [];
  const otherwise = defaultOf(tree);
  const add = (
    id: string,
    unit: Unit | null,
    sequencing: Sequencing | null,
    parent: Activity | null,
    position: number,
  ): Activity => {
    const threshold = (unit ?? tree).CompletionThreshold ?? null;
    const prepared = prepareActivity(sequencing ?? otherwise, threshold, unit?.SharedData ?? []);
    const depth = parent ? parent.depth + 1 : 0;
    const names = { id, title: unit?.Title ?? title, unit };
    const activity: Activity = {
      ...prepared,
      ...names,
      index: activities.length,
      parent,
      children: [],
      position,
      depth,
    };
    activities.push(activity);
    addAll(activity, unit ? unit.Children : tree.Units);
    return activity;
  };
  const addAll = (parent: Activity, units: readonly Unit[]) => {
    for (const [position, unit] of units.entries())
      parent.children.push(add(unit.UnitID, unit, unit.Sequencing, parent, position));
  };
  const root = add(rootIDOf(tree), null, tree.Sequencing, null, 0);
  return {
    root,
    activities,
    byID: new Map(activities.map((activity) => [activity.id, activity])),
    readers: mappedBy(activities, reads),
    writers: mappedBy(activities, writes),
    shared: { read: sharedNames(tree, activities, 'Read'), written: sharedNames(tree, activities, 'Write') },
    freshTracks: activities.map(freshTrack),
    objectivesGlobalToSystem: tree.ObjectivesGlobalToSystem,
    sharedDataGlobalToSystem: tree.SharedDataGlobalToSystem,
  };
}

/** The organization is the root of the activity tree. Content can choose it by its identifier. */
function rootIDOf({ Identifier, Units }: CourseTree): string {
  const isTaken = (units: readonly Unit[]): boolean =>
    units.some(({ UnitID, Children }) => UnitID === Identifier || isTaken(Children));
  return Identifier && !isTaken(Units) ? Identifier : rootID;
}

function prepareActivity(
  sequencing: Sequencing,
  threshold: Unit['CompletionThreshold'],
  shared: Unit['SharedData'],
) {
  const declared = sequencing.Objectives.map(withPlainIdentifiers);
  const objectives = declared.some(({ Primary }) => Primary) ? declared : [anonymousPrimary, ...declared];
  const limit = sequencing.Limits.AttemptAbsoluteDurationLimit;
  const rules = sequencing.Rules.map((rule, index) => ({
    ...rule,
    index,
    Conditions: rule.Conditions.map((condition) => ({
      ...condition,
      ReferencedObjective: condition.ReferencedObjective && plainIdentifier(condition.ReferencedObjective),
    })),
  }));
  return {
    sequencing,
    rules: grouped(rules, ({ When, Action }) => (When === 'pre' ? Action : When)),
    rollupRules: grouped(sequencing.RollupRules.Rules, ({ Action }) => Action),
    objectives,
    sources: objectives.map(sourcesOf),
    positions: positionsOf(objectives),
    primary: objectives.findIndex(({ Primary }) => Primary),
    completedByMeasure: threshold?.CompletedByMeasure ?? false,
    minProgressMeasure: threshold?.MinProgressMeasure ?? 1,
    progressWeight: threshold?.ProgressWeight ?? 1,
    sharedData: shared.map((map) => ({ ...map, TargetID: plainIdentifier(map.TargetID) })),
    durationLimit: limit === null ? null : parseSeconds(limit),
  };
}

function sharedNames(
  { ObjectivesGlobalToSystem, SharedDataGlobalToSystem }: CourseTree,
  activities: readonly Activity[],
  way: 'Read' | 'Write',
): SharedNames {
  const maps = activities.flatMap(({ objectives }) => objectives.flatMap(({ Maps }) => Maps));
  const objectives = maps.filter((map) => mapsSome(map, way)).map((map) => map.TargetObjectiveID);
  const buckets = activities
    .flatMap(({ sharedData }) => sharedData)
    .filter((map) => map[way])
    .map(({ TargetID }) => TargetID);
  return {
    objectives: new Set(ObjectivesGlobalToSystem ? objectives : []),
    buckets: new Set(SharedDataGlobalToSystem ? buckets : []),
  };
}

const mapsSome = (map: Objective['Maps'][number], way: 'Read' | 'Write'): boolean =>
  Object.entries(map).some(([flag, value]) => flag.startsWith(way) && value === true);

type ObjectiveMap = Objective['Maps'][number];

function mappedBy(
  activities: readonly Activity[],
  isMapped: (map: ObjectiveMap) => boolean,
): Map<string, Activity[]> {
  const pairs = activities.flatMap((activity) => {
    const maps = activity.objectives.flatMap(({ Maps }) => Maps);
    const ids = maps.filter(isMapped).map(({ TargetObjectiveID }) => TargetObjectiveID);
    return [...new Set(ids)].map((id) => ({ id, activity }));
  });
  const groups = grouped(pairs, ({ id }) => id);
  return new Map([...groups].map(([id, list]) => [id, list.map(({ activity }) => activity)]));
}

/** Whether a map reads a value that a condition can check. */
export function reads(map: ObjectiveMap): boolean {
  const { ReadSatisfiedStatus, ReadNormalizedMeasure, ReadCompletionStatus, ReadProgressMeasure } = map;
  return ReadSatisfiedStatus || ReadNormalizedMeasure || ReadCompletionStatus || ReadProgressMeasure;
}

function writes(map: ObjectiveMap): boolean {
  const { WriteSatisfiedStatus, WriteNormalizedMeasure, WriteCompletionStatus, WriteProgressMeasure } = map;
  return WriteSatisfiedStatus || WriteNormalizedMeasure || WriteCompletionStatus || WriteProgressMeasure;
}

function freshTrack({ objectives }: Activity): Track {
  return {
    active: false,
    suspended: false,
    attempts: 0,
    order: null,
    objectives: objectives.map(({ ObjectiveID }) => ({ id: ObjectiveID, ...unknownObjective })),
    oldObjectives: false,
    oldProgress: false,
    setsCompletion: false,
    setsSuccess: false,
    attemptBegan: null,
    attemptExperienced: 0,
    activityExperienced: 0,
  };
}

function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
