import type { Activity, Course } from './course.ts';
import type { ActivityStatus } from './session.ts';

/** The roll-up for the whole course. Scores and progress range from 0 to 100. */
export type CourseResult = {
  Completion: 'unknown' | 'incomplete' | 'completed';
  Success: 'unknown' | 'passed' | 'failed';
  Score: number | null;
  Progress: number;
};

export const completionOf = ({ completed }: Pick<ActivityStatus, 'completed'>) =>
  completed === null ? 'unknown' : completed ? 'completed' : 'incomplete';

export const successOf = ({ satisfied }: Pick<ActivityStatus, 'satisfied'>) =>
  satisfied === null ? 'unknown' : satisfied ? 'passed' : 'failed';

const isLeaf = ({ children }: Activity) => children.length === 0;

export function courseResult(
  { root, activities }: Course,
  statuses: ReadonlyMap<string, ActivityStatus>,
): CourseResult {
  const leaves = activities.filter(isLeaf);
  const completed = leaves.filter(({ id }) => statuses.get(id)?.completed === true).length;
  const whole = statuses.get(root.id);
  // Units without a progress measure count as not started in the roll-up. Therefore, the measure is used only
  // if the manifest says so.
  const measured = root.completedByMeasure ? whole?.progress : null;
  const share = measured ?? completed / Math.max(1, leaves.length);
  // Units with weight 0 do not contribute to the score.
  const isMeasured = leaves.some(
    ({ id, sequencing }) =>
      sequencing.RollupRules.ObjectiveMeasureWeight > 0 && statuses.get(id)?.measure != null,
  );
  return {
    Completion: whole ? completionOf(whole) : 'unknown',
    Success: whole ? successOf(whole) : 'unknown',
    Score: isMeasured && whole && whole.measure !== null ? percent(whole.measure) : null,
    Progress: percent(share),
  };
}

export function percent(measure: number): number {
  return Math.round(Math.min(1, Math.max(0, measure)) * 10_000) / 100;
}
