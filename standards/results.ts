import type { Course } from '../scorm/sequencing/course.ts';
import { courseLimit } from '../scorm/sequencing/course-limit.ts';
import { replayedResult } from '../scorm/sequencing/replay.ts';
import { courseResult } from '../scorm/sequencing/result.ts';
import { type Shared, statuses } from '../scorm/sequencing/session.ts';
import type { SequencingState } from '../scorm/sequencing/state.ts';
import { supportedResults } from '../scorm/sequencing/supported-results.ts';
import { isSco } from './assets.ts';
import { better, type RootEvidence, rollUp, unitEvidence } from './evidence.ts';
import { readTreeState } from './tree-state.ts';
import type { CourseTree, Evidence, RunTimeData, Standard, Unit } from './types.ts';

/**
 * The content to play: the tree of a release, or the page of a course that is hosted elsewhere. `course` is
 * the tree prepared for sequencing. It is null for standards without sequencing.
 */
export type Played = { standard: Standard; tree: CourseTree; course: Course | null };

type Globals = NonNullable<Shared['globals']>;

/** The best results so far, for each unit that was started and for the course. */
export type Results = { units: Record<string, Evidence>; course: Evidence };

export type Claim = {
  unit: Unit;
  data: RunTimeData;
  /** The roll-up as sent by the page. */
  root: RootEvidence | null;
  /** The sequencing state as sent by the page. */
  treeState: string | null;
  /** Global objectives of the learner's other courses. */
  shared?: Globals;
};

export type NextResults = Results & {
  unit: Evidence;
  /** The course result that the page claims, if the data does not support it. It is ignored. */
  unsupported: RootEvidence | null;
};

export function findUnit(units: Unit[], unitId: string): Unit | null {
  for (const unit of units) {
    const found = unit.UnitID === unitId ? unit : findUnit(unit.Children, unitId);
    if (found) return found;
  }
  return null;
}

/**
 * The results after a commit. The unit's result follows from its data, and the course's result from all units
 * and the sequencing state.
 */
export function resultsWith(played: Played, before: Results, claim: Claim): NextResults {
  const { standard, tree, course } = played;
  const { UnitID } = claim.unit;
  const evidence = unitEvidence(standard, claim.unit, claim.data);
  const fresh = course
    ? { ...evidence, Supports: supportedResults(course, UnitID, reportOf(claim)) }
    : evidence;
  const known = Object.hasOwn(before.units, UnitID) ? before.units[UnitID] : undefined;
  const unit = known ? better(known, fresh) : fresh;
  const units = { ...before.units, [UnitID]: unit };
  const { claimed, root } = rootOf(course, { course: before.course, units }, claim);
  const result = keepBetter(before.course, rollUp(standard, tree, units, root), root !== null);
  return { unit, units, course: result, unsupported: claimed && exceeds(claimed, result) ? claimed : null };
}

/** A page without an API is completed once it is opened. */
function reportOf({ unit, data }: Claim): RunTimeData {
  if (isSco(unit, data)) return data;
  return data['lectern.completion'] === 'completed' ? { 'cmi.completion_status': 'completed' } : {};
}

/** The course result that the page claims, and the part of it that the data supports. */
function rootOf(
  course: Course | null,
  { course: before, units }: Results,
  { root, treeState, shared }: Claim,
): { claimed: RootEvidence | null; root: RootEvidence | null } {
  if (!course) return { claimed: root, root };
  const state = treeState === null ? null : readTreeState(course, treeState);
  const shown = (state && resultIn(course, state)) ?? root;
  const claimed = root ?? shown;
  if (!shown || !exceeds(shown, before)) return { claimed, root: shown };
  const supported = new Map(Object.entries(units).map(([id, { Supports = [] }]) => [id, Supports]));
  const limit = courseLimit(course, supported, shared);
  if (!limit || !exceeds(shown, limit)) return { claimed, root: shown };
  return { claimed, root: replayedResult(course, supported, shared) };
}

/** Null if no player can have written this state. */
function resultIn(course: Course, state: SequencingState): RootEvidence | null {
  try {
    const result = courseResult(course, new Map(statuses(course, state)));
    return Number.isFinite(result.Score ?? 0) && Number.isFinite(result.Progress) ? result : null;
  } catch {
    return null;
  }
}

/** The page and the service may round measures differently to two decimal places. */
const roundingError = 0.011;

/** Whether any part of the first result is better than the same part of the second. */
function exceeds(one: RootEvidence, other: RootEvidence): boolean {
  return (
    (one.Completion === 'completed' && other.Completion !== 'completed') ||
    (one.Success === 'passed' && other.Success !== 'passed') ||
    (one.Score !== null && one.Score > (other.Score ?? -1) + roundingError) ||
    (one.Progress ?? 0) > (other.Progress ?? 0) + roundingError
  );
}

/**
 * Without a sequencing engine, success and score follow the latest roll-up, so failing a unit later can lower
 * them. An engine's roll-up can only improve each part of the result.
 */
function keepBetter(before: Evidence, rolledUp: Evidence, fromEngine: boolean): Evidence {
  const merged = better(before, rolledUp);
  return fromEngine
    ? merged
    : {
        ...merged,
        Success: rolledUp.Success === 'unknown' ? before.Success : rolledUp.Success,
        Score: rolledUp.Score ?? before.Score,
      };
}
