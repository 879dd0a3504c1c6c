import { better, type RootEvidence, rollUp, unitEvidence } from './evidence.ts';
import type { CourseTree, Evidence, RunTimeData, Standard, Unit } from './types.ts';

/** What is played: the tree of a release, or the page of a course that is hosted elsewhere. */
export type Played = { standard: Standard; tree: CourseTree };

/** The best results so far, for each unit that was started and for the course. */
export type Results = { units: Record<string, Evidence>; course: Evidence };

export function findUnit(units: Unit[], unitId: string): Unit | null {
  for (const unit of units) {
    const found = unit.UnitID === unitId ? unit : findUnit(unit.Children, unitId);
    if (found) return found;
  }
  return null;
}

/** The results after a commit, from the run-time data of one unit and the engine's rollup. */
export function resultsWith(
  { standard, tree }: Played,
  before: Results,
  commit: { unit: Unit; data: RunTimeData; root: RootEvidence | null },
): Results & { unit: Evidence } {
  const { data, root } = commit;
  const { UnitID } = commit.unit;
  const fresh = unitEvidence(standard, commit.unit, data);
  const known = Object.hasOwn(before.units, UnitID) ? before.units[UnitID] : undefined;
  const unit = known ? better(known, fresh) : fresh;
  const units = { ...before.units, [UnitID]: unit };
  const rolledUp = rollUp(standard, tree, units, root);
  return { unit, units, course: keepBetter(before.course, rolledUp, root !== null) };
}

/**
 * Without a sequencing engine, success and score follow the latest rollup of the units' best results, so a unit that is
 * failed later can lower them. An engine's rollup is merged by the best of each part.
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
