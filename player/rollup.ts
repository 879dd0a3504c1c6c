import type { Commit } from './contract.ts';
import type { Activity } from './scorm2004.ts';
import { statusOf, type UnitStatus } from './units.ts';

/** The engine's rollup for the whole course. */
export function rollup(root: Activity | null): NonNullable<Commit['Root']> {
  const leaves = root ? leavesOf(root) : [];
  const done = leaves.filter(({ completionStatus }) => completionStatus === 'completed').length;
  const share = root?.progressMeasureStatus ? (root.progressMeasure ?? 0) : done / Math.max(1, leaves.length);
  // The engine returns 0 for measures without weight, although nothing was measured.
  const isMeasured = root?.objectiveMeasureStatus && leaves.some(countsInScore);
  return {
    Completion: oneOf(['completed', 'incomplete'], root?.completionStatus),
    Success: oneOf(['passed', 'failed'], root?.successStatus),
    Score: isMeasured ? percent(root.objectiveNormalizedMeasure) : null,
    Progress: percent(share),
  };
}

function countsInScore({ objectiveMeasureStatus, sequencingControls }: Activity): boolean {
  return objectiveMeasureStatus && sequencingControls.objectiveMeasureWeight > 0;
}

function leavesOf(activity: Activity): Activity[] {
  return activity.children.length === 0 ? [activity] : activity.children.flatMap(leavesOf);
}

export function activityStatus(activity: Activity | undefined): UnitStatus {
  return statusOf({
    Completion: oneOf(['completed', 'incomplete'], activity?.completionStatus),
    Success: oneOf(['passed', 'failed'], activity?.successStatus),
  });
}

function oneOf<Word extends string>(words: Word[], said: string | undefined): Word | 'unknown' {
  return words.find((word) => word === said) ?? 'unknown';
}

function percent(measure: number): number {
  return Math.round(Math.min(1, Math.max(0, measure)) * 10_000) / 100;
}
