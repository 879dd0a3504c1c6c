import type { Evidence, Unit } from './types.ts';

export type UnitStatus = 'none' | 'incomplete' | 'completed' | 'passed' | 'failed';

export function statusOf(evidence: Pick<Evidence, 'Completion' | 'Success'> | undefined): UnitStatus {
  if (!evidence) return 'none';
  if (evidence.Success !== 'unknown') return evidence.Success;
  return evidence.Completion === 'unknown' ? 'none' : evidence.Completion;
}

export const isDone = (status: UnitStatus): boolean => status === 'completed' || status === 'passed';

/** The status of a group without a status of its own, derived from its members. */
export function combinedStatus(members: readonly UnitStatus[]): UnitStatus {
  if (members.every(isDone)) return 'completed';
  return members.some((member) => member !== 'none') ? 'incomplete' : 'none';
}

/** All units and groups by their IDs. */
export function nodesIn(units: readonly Unit[]): Map<string, Unit> {
  const nodes = new Map<string, Unit>();
  const add = (unit: Unit) => {
    nodes.set(unit.UnitID, unit);
    unit.Children.forEach(add);
  };
  units.forEach(add);
  return nodes;
}

/**
 * Returns a function that finds the status of a unit or group by its ID. The status is null if the course
 * does not contain the ID. `reported` returns the status that a unit has reported.
 */
export function statusesIn(
  nodes: ReadonlyMap<string, Unit>,
  reported: (unitID: string) => UnitStatus,
): (unitID: string) => UnitStatus | null {
  const known = new Map<Unit, UnitStatus>();
  const statusIn = (unit: Unit): UnitStatus => {
    const own = known.get(unit) ?? reported(unit.UnitID);
    const isGroup = unit.Href === null && unit.Children.length > 0;
    const status = own === 'none' && isGroup ? combinedStatus(unit.Children.map(statusIn)) : own;
    known.set(unit, status);
    return status;
  };
  return (unitID) => {
    const unit = nodes.get(unitID);
    return unit ? statusIn(unit) : null;
  };
}
