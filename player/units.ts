import type { CourseTree, RunTimeData, Unit } from '../standards/types.ts';
import { isDone, type UnitStatus } from '../standards/unit-status.ts';
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

/**
 * Where a course is resumed: at the unit that the learner was in or, if its content has reported completion, at the first
 * unit that is not completed. A page without an API cannot report that the learner has read it.
 */
export function resumedUnit(
  units: readonly PlayableUnit[],
  lastUnitID: string | null,
  known: { statusOf(unitID: string): UnitStatus; mayOpen(unit: PlayableUnit): boolean },
): PlayableUnit | undefined {
  const last = units.find(({ UnitID }) => UnitID === lastUnitID);
  const isOpen = ({ UnitID }: PlayableUnit) => !isDone(known.statusOf(UnitID));
  if (last && (last.Kind === 'asset' || isOpen(last))) return last;
  const offered = units.filter(known.mayOpen);
  return offered.find(isOpen) ?? last ?? offered[0] ?? units[0];
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

/** The player's notes about a page that has not used the API. */
export function pageNotes(before: RunTimeData, completion: string, visibleSeconds: number): RunTimeData {
  const seconds = Number(before['lectern.seconds'] ?? 0) + visibleSeconds;
  return { 'lectern.completion': completion, 'lectern.seconds': String(seconds) };
}

/** The part of a unit's data that was stored before its session began: a page has no run-time data. */
export function storedPart(unit: Unit, data: RunTimeData): RunTimeData {
  if (beginsAsSco(unit, data)) return data;
  return Object.fromEntries(Object.entries(data).filter(([name]) => name.startsWith('lectern.')));
}

/** Whether the unit is a SCO. An asset is one from its first call of the API; `data` is what its session begins with. */
export function beginsAsSco({ Kind }: Unit, data: RunTimeData): boolean {
  const entry = data['cmi.core.entry'] ?? data['cmi.entry'] ?? 'ab-initio';
  return Kind === 'sco' || (Kind === 'asset' && entry !== 'ab-initio');
}
