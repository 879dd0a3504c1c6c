import type { CourseTree, RunTimeData, Unit } from '../standards/types.ts';
import type { UnitStatus } from '../standards/unit-status.ts';
import type { Session } from './contract.ts';

/** A unit that opens a page. */
export type PlayableUnit = Unit & { Href: string };

/** All units that open a page, in the order in which the learner sees them. */
export function playableUnits(tree: CourseTree): PlayableUnit[] {
  const walk = (units: Unit[]): Unit[] => units.flatMap((unit) => [unit, ...walk(unit.Children)]);
  return walk(tree.Units).filter((unit): unit is PlayableUnit => unit.Href !== null);
}

export function addressOf(session: Session, unit: PlayableUnit): string {
  if (session.ContentPath === null || /^https?:\/\//i.test(unit.Href)) return unit.Href;
  return session.ContentPath + unit.Href;
}

const ranks: UnitStatus[] = ['none', 'incomplete', 'failed', 'completed', 'passed'];

/** Returns the better status, because a better result is never lost. */
export function better(a: UnitStatus, b: UnitStatus): UnitStatus {
  return ranks.indexOf(a) >= ranks.indexOf(b) ? a : b;
}

/** `data` is SCORM 1.2 run-time data, or the player's own notes about a page without an API. */
export function statusOfData(data: RunTimeData): UnitStatus {
  const said = data['lectern.completion'] ?? data['cmi.core.lesson_status'];
  if (said === 'browsed') return 'incomplete';
  return ranks.find((status) => status === said) ?? 'none';
}

/** The player's notes about a page without an API. */
export function pageNotes(before: RunTimeData, completion: string, visibleSeconds: number): RunTimeData {
  const seconds = Number(before['lectern.seconds'] ?? 0) + visibleSeconds;
  return { ...before, 'lectern.completion': completion, 'lectern.seconds': String(seconds) };
}
