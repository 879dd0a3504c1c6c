import { formatDuration, formatTimespan, parseSeconds } from './durations.ts';
import type { CourseTree, Sequencing, Unit } from './types.ts';

/** The course with its time limits multiplied by the factor; null removes them. Returns the same tree if it has none. */
export function extendTimeLimits(tree: CourseTree, factor: number | null): CourseTree {
  if (factor === 1 || !(hasLimit(tree.Sequencing) || tree.Units.some(isLimited))) return tree;
  return {
    ...tree,
    Sequencing: extended(tree.Sequencing, factor),
    Units: tree.Units.map(extendUnit(factor)),
  };
}

const hasLimit = (sequencing: Sequencing | null) =>
  (sequencing?.Limits.AttemptAbsoluteDurationLimit ?? null) !== null;

const isLimited = ({ MaxTimeAllowed, Sequencing, Children }: Unit): boolean =>
  MaxTimeAllowed !== null || hasLimit(Sequencing) || Children.some(isLimited);

const extendUnit =
  (factor: number | null) =>
  (unit: Unit): Unit => ({
    ...unit,
    MaxTimeAllowed: multiplied(unit.MaxTimeAllowed, factor, formatTimespan),
    Sequencing: extended(unit.Sequencing, factor),
    Children: unit.Children.map(extendUnit(factor)),
  });

function extended(sequencing: Sequencing | null, factor: number | null): Sequencing | null {
  if (!sequencing) return null;
  const limit = multiplied(sequencing.Limits.AttemptAbsoluteDurationLimit, factor, formatDuration);
  return { ...sequencing, Limits: { ...sequencing.Limits, AttemptAbsoluteDurationLimit: limit } };
}

function multiplied(
  limit: string | null,
  factor: number | null,
  format: (seconds: number) => string,
): string | null {
  return limit === null || factor === null ? null : format(parseSeconds(limit) * factor);
}
