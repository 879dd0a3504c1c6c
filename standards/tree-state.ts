import type { Course } from '../scorm/sequencing/course.ts';
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
type Packed = Omit<SequencingState, 'activities' | 'globals'> & {
  activities: [id: string, track: PackedTrack][];
  globals: [id: string, objective: Partial<GlobalObjective>][];
};

/** Written by the player today. Version 1 is that of the engine used until November 2026. */
const treeStateVersion = 2;

/**
 * The text in which a sequencing state is stored. It has only what differs from an activity that was never opened, so
 * that 1,000 activities fit into a commit.
 */
export function writeTreeState(course: Course, state: SequencingState): string {
  const packed: Packed = {
    ...state,
    activities: state.activities.map(([id, track]) => [id, packTrack(freshTrackOf(course, id), track)]),
    globals: state.globals.map(([id, objective]) => [id, differences(unknownObjective, objective)]),
  };
  return JSON.stringify({ Version: treeStateVersion, State: packed });
}

/** Null for a text that no player has written. */
export function readTreeState(course: Course, text: string): SequencingState | null {
  try {
    const { Version, State, Changes } = JSON.parse(text);
    if (Version === 1) return convertPrevious(course, Changes);
    return Version === treeStateVersion && State.version === stateVersion ? unpack(course, State) : null;
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

function unpack(course: Course, packed: Packed): SequencingState {
  return {
    ...packed,
    activities: packed.activities.flatMap(([id, { objectives = [], ...track }]): [string, Track][] => {
      const fresh = freshTrackOf(course, id);
      if (!fresh) return [];
      const known = objectives.map((objective) => ({ id: null, ...unknownObjective, ...objective }));
      return [[id, { ...fresh, ...track, objectives: known }]];
    }),
    globals: packed.globals.map(([id, objective]) => [id, { ...unknownObjective, ...objective }]),
  };
}

/** The members of the second object that the first one does not have with the same value. */
function differences<Whole extends object>(from: Whole, to: Partial<Whole>): Partial<Whole> {
  const names = Object.keys(to) as (keyof Whole)[];
  return Object.fromEntries(
    names.filter((name) => from[name] !== to[name]).map((name) => [name, to[name]]),
  ) as Partial<Whole>;
}
