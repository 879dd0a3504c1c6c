import type { Course } from '../scorm/sequencing/course.ts';
import type { Shared } from '../scorm/sequencing/session.ts';
import {
  type GlobalObjective,
  type ObjectiveTrack,
  type SequencingState,
  stateVersion,
  type Track,
  unknownObjective,
} from '../scorm/sequencing/state.ts';
import { convertPrevious } from './previous-tree-state.ts';

type PackedTrack = Partial<Omit<Track, 'objectives'>> & { objectives?: Partial<ObjectiveTrack>[] };
type PackedShared = {
  globals: [id: string, objective: Partial<GlobalObjective>][];
  buckets: [id: string, store: string][];
};
type Packed = Omit<SequencingState, 'activities' | 'globals'> &
  PackedShared & { activities: [id: string, track: PackedTrack][] };

/** The version that the player writes. Version 1 belongs to the engine used until November 2026. */
const treeStateVersion = 2;

/**
 * The text in which a sequencing state is stored. It contains only differences from an activity that was never opened,
 * so that 1,000 activities fit into a commit.
 */
export function writeTreeState(course: Course, state: SequencingState): string {
  const globals = state.globals.map(([id, objective]): PackedShared['globals'][number] => [
    ...([id, differences(unknownObjective, objective)] as const),
  ]);
  const { objectivesGlobalToSystem, sharedDataGlobalToSystem } = course;
  const Shared: PackedShared = {
    globals: objectivesGlobalToSystem ? globals : [],
    buckets: sharedDataGlobalToSystem ? state.buckets : [],
  };
  const State: Packed = {
    ...state,
    activities: state.activities.map(([id, track]) => [id, packTrack(freshTrackOf(course, id), track)]),
    globals: objectivesGlobalToSystem ? [] : globals,
    buckets: sharedDataGlobalToSystem ? [] : state.buckets,
  };
  const isSharing = Shared.globals.length > 0 || Shared.buckets.length > 0;
  return JSON.stringify({ Version: treeStateVersion, ...(isSharing && { Shared }), State });
}

/** The beginning of stored states in which a course shares data with the learner's other courses. */
export const sharingTreeState = `{"Version":${treeStateVersion},"Shared":`;

/** The data that courses share, read from their stored states. The last state decides. */
export function sharedIn(texts: readonly string[]): Required<Shared> {
  const parts = texts.map(readShared);
  return {
    globals: unpackGlobals([...new Map(parts.flatMap(({ globals }) => globals))]),
    buckets: [...new Map(parts.flatMap(({ buckets }) => buckets))],
  };
}

/** The texts come from pages, which may send anything. */
function readShared(text: string): PackedShared {
  try {
    const { globals, buckets } = JSON.parse(text).Shared;
    return {
      globals: pairsIn(globals, isObjective),
      buckets: pairsIn(buckets, (value) => typeof value === 'string'),
    };
  } catch {
    return { globals: [], buckets: [] };
  }
}

/** An objective's members, with values of the correct types. */
const objectiveValues = {
  satisfied: isBoolean,
  measure: Number.isFinite,
  raw: Number.isFinite,
  min: Number.isFinite,
  max: Number.isFinite,
  completed: isBoolean,
  progress: Number.isFinite,
} satisfies Record<keyof GlobalObjective, (value: unknown) => boolean>;

const isObjectiveMember = ([name, value]: [string, unknown]) =>
  Object.hasOwn(objectiveValues, name) &&
  (value === null || objectiveValues[name as keyof GlobalObjective](value));

const isObjective = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.entries(value).every(isObjectiveMember);

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

function pairsIn<Value>(list: unknown, isValue: (value: unknown) => boolean): [string, Value][] {
  if (!Array.isArray(list)) return [];
  const isPair = (pair: unknown): pair is [string, Value] =>
    Array.isArray(pair) && typeof pair[0] === 'string' && isValue(pair[1]);
  return list.filter(isPair);
}

const unpackGlobals = (globals: PackedShared['globals']) =>
  globals.map(([id, objective]): [string, GlobalObjective] => [id, { ...unknownObjective, ...objective }]);

/** Null for a text that no player has written. */
export function readTreeState(course: Course, text: string): SequencingState | null {
  try {
    const { Version, Shared, State, Changes } = JSON.parse(text);
    if (Version === 1) return convertPrevious(course, Changes);
    const isKnown = Version === treeStateVersion && State.version === stateVersion;
    return isKnown ? unpack(course, State, Shared) : null;
  } catch {
    return null;
  }
}

const freshTrackOf = ({ byID, freshTracks }: Course, id: string): Track | undefined =>
  freshTracks[byID.get(id)?.index ?? -1];

function packTrack(fresh: Track | undefined, { objectives, ...track }: Track): PackedTrack {
  const known = fresh?.objectives ?? [];
  const changed = objectives.map((objective, position) => ({
    id: objective.id,
    ...differences({ ...unknownObjective, ...known[position] }, objective),
  }));
  return { ...(fresh ? differences(fresh, track) : track), objectives: changed };
}

function unpack(course: Course, packed: Packed, shared: Partial<PackedShared> = {}): SequencingState {
  return {
    ...packed,
    activities: packed.activities.flatMap(([id, { objectives = [], ...track }]): [string, Track][] => {
      const fresh = freshTrackOf(course, id);
      if (!fresh) return [];
      const known = objectives.map((objective) => ({ id: null, ...unknownObjective, ...objective }));
      return [[id, { ...fresh, ...track, objectives: known }]];
    }),
    globals: unpackGlobals([...packed.globals, ...(shared.globals ?? [])]),
    buckets: [...packed.buckets, ...(shared.buckets ?? [])],
  };
}

/** The members of the second object that differ from the first. */
function differences<Whole extends object>(from: Whole, to: Partial<Whole>): Partial<Whole> {
  const names = Object.keys(to) as (keyof Whole)[];
  return Object.fromEntries(
    names.filter((name) => from[name] !== to[name]).map((name) => [name, to[name]]),
  ) as Partial<Whole>;
}
