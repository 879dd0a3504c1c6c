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
import { isPartOfObjective, isSequencingState } from '../scorm/sequencing/valid-state.ts';
import { fitsShape, type JsonShape } from './json-shape.ts';
import { convertPrevious } from './previous-tree-state.ts';
import { storageLimits } from './storage-limits.ts';

type PackedTrack = Partial<Omit<Track, 'objectives'>> & { objectives?: Partial<ObjectiveTrack>[] };
type PackedObjective = Partial<GlobalObjective>;
type PackedShared = {
  globals: [id: string, objective: PackedObjective][];
  buckets: [id: string, store: string][];
};
type Packed = Omit<SequencingState, 'activities' | 'globals'> &
  PackedShared & { activities: [id: string, track: PackedTrack][] };

/** The version that the player writes. The engine used until November 2026 wrote version 1. */
const treeStateVersion = 2;

/**
 * The stored text of a sequencing state. It contains only differences from activities that were never opened,
 * so a state with 1,000 activities fits into a commit.
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

/** Stored states with data that the course shares with the learner's other courses begin like this. */
const sharingTreeState = `{"Version":${treeStateVersion},"Shared":`;

/**
 * Limits for the data that a course shares. SCORM guarantees this bucket length (RTE 4th §4.3.1).
 */
const maxShared = { pairs: 1_000, characters: 65_536, bucket: storageLimits.bucketCharacters };

/**
 * The part of a tree state that the learner's other courses receive: only what the manifest maps for writing.
 * Empty if there is none. Tree states come from pages, which may send anything, so values are checked.
 */
export function sharedPart({ shared: { read, written } }: Course, treeState: string): string {
  if (written.objectives.size + written.buckets.size === 0 || !treeState.startsWith(sharingTreeState))
    return '';
  const { globals, buckets } = readShared(treeState);
  const isBucket = (value: unknown) => typeof value === 'string' && value.length <= maxShared.bucket;
  const objectives = pairsIn<PackedObjective>(globals, written.objectives, isPartOfObjective);
  // If the course also reads the objective, its state contains all known values. Missing values are unknown.
  const known = objectives.map(([id, objective]): [string, PackedObjective] => [
    id,
    read.objectives.has(id) ? { ...unknownObjective, ...objective } : objective,
  ]);
  const limit = { ...maxShared };
  const part: PackedShared = {
    globals: fitting(known, limit),
    buckets: fitting(pairsIn<string>(buckets, written.buckets, isBucket), limit),
  };
  return part.globals.length + part.buckets.length > 0 ? JSON.stringify(part) : '';
}

/** No state in a commit reaches these limits. */
const stateShape: JsonShape = { depth: 16, values: 100_000 };

function parse(text: string) {
  if (!fitsShape(text, stateShape)) throw new RangeError('This is not a state.');
  return JSON.parse(text);
}

function readShared(treeState: string): { globals?: unknown; buckets?: unknown } {
  try {
    return parse(treeState).Shared ?? {};
  } catch {
    return {};
  }
}

/**
 * The values that a course may read from other courses. If several courses share a value, the last one is
 * used.
 */
export function sharedIn({ shared: { read } }: Course, parts: readonly string[]): Required<Shared> {
  const objectives = new Map<string, PackedObjective>();
  const stores = new Map<string, string>();
  for (const part of parts) {
    const { globals, buckets }: PackedShared = JSON.parse(part);
    for (const [id, objective] of globals)
      if (read.objectives.has(id)) objectives.set(id, { ...objectives.get(id), ...objective });
    for (const [id, store] of buckets) if (read.buckets.has(id)) stores.set(id, store);
  }
  return { globals: unpackGlobals([...objectives]), buckets: [...stores] };
}

/** The pairs with these identifiers. For repeated identifiers, the last value is used. */
function pairsIn<Value>(
  list: unknown,
  ids: ReadonlySet<string>,
  isValue: (value: unknown) => boolean,
): [string, Value][] {
  if (!Array.isArray(list)) return [];
  const isPair = (pair: unknown): pair is [string, Value] =>
    Array.isArray(pair) && ids.has(pair[0]) && isValue(pair[1]);
  return [...new Map(list.filter(isPair).map(([id, value]) => [id, value]))];
}

/** The pairs that fit into the remaining limit. Reduces the limit by their size. */
function fitting<Pair>(pairs: Pair[], limit: { pairs: number; characters: number }): Pair[] {
  return pairs.filter((pair) => {
    const { length } = JSON.stringify(pair);
    if (limit.pairs < 1 || limit.characters < length) return false;
    limit.pairs -= 1;
    limit.characters -= length;
    return true;
  });
}

const unpackGlobals = (globals: PackedShared['globals']) =>
  globals.map(([id, objective]): [string, GlobalObjective] => [id, { ...unknownObjective, ...objective }]);

/** Null if no player can have written the text. */
export function readTreeState(course: Course, text: string): SequencingState | null {
  try {
    const { Version, Shared, State, Changes } = parse(text);
    const isKnown = Version === treeStateVersion && State.version === stateVersion;
    const state =
      Version === 1 ? convertPrevious(course, Changes) : isKnown ? unpack(course, State, Shared) : null;
    return isSequencingState(state) ? state : null;
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

/** The properties of the second object that differ from the first. */
function differences<Whole extends object>(from: Whole, to: Partial<Whole>): Partial<Whole> {
  const names = Object.keys(to) as (keyof Whole)[];
  return Object.fromEntries(
    names.filter((name) => from[name] !== to[name]).map((name) => [name, to[name]]),
  ) as Partial<Whole>;
}
