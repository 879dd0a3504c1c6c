import type { SequencingRule } from '../../standards/types.ts';
import type { Activity, IndexedRule } from './course.ts';
import { type Draft, trackOf } from './draft.ts';
import { completedOf, measureOf, type Reader, satisfiedOf } from './objectives.ts';

/** True, false, or null for unknown: SN §4.4.2. */
export type Ternary = boolean | null;

export const not = (truth: Ternary): Ternary => (truth === null ? null : !truth);

/** Null (unknown) if there are no conditions. */
export function combine(combination: 'all' | 'any', truths: readonly Ternary[]): Ternary {
  const decisive = combination === 'any';
  if (truths.length === 0) return null;
  if (truths.includes(decisive)) return decisive;
  return truths.includes(null) ? null : !decisive;
}

/** UP.2: Sequencing Rules Check Process. Returns the first matching rule for the action (SN Appendix C). */
export function sequencingRulesCheck(draft: Draft, activity: Activity, group: string): IndexedRule | null {
  const rules = activity.rules.get(group);
  return rules?.find((rule) => sequencingRuleCheck(draft, activity, rule)) ?? null;
}

/** UP.2.1: Sequencing Rule Check Subprocess. A rule applies only if its conditions are definitely true. */
function sequencingRuleCheck(draft: Draft, activity: Activity, rule: SequencingRule): boolean {
  const truths = rule.Conditions.map((condition) => {
    const truth = conditionOf(draft, activity, condition);
    return condition.Operator === 'not' ? not(truth) : truth;
  });
  return combine(rule.ConditionCombination, truths) === true;
}

export type Condition = {
  Condition: string;
  ReferencedObjective?: string | null;
  MeasureThreshold?: number | null;
};

/** SN §3.4.2 and §3.7.3: one condition of a sequencing or roll-up rule. */
export function conditionOf(
  draft: Draft,
  activity: Activity,
  condition: Condition,
  reader: Reader = 'itself',
): Ternary {
  const objective = referenced(activity, condition.ReferencedObjective ?? null);
  if (!activity.sequencing.Delivery.Tracked) return ofUntracked(condition);
  const measure = () => measureOf(draft, activity, objective, reader);
  const threshold = condition.MeasureThreshold ?? 0;
  switch (condition.Condition) {
    case 'satisfied':
      return satisfiedOf(draft, activity, objective, reader);
    case 'objectiveStatusKnown':
      return satisfiedOf(draft, activity, objective, reader) !== null;
    case 'objectiveMeasureKnown':
      return measure() !== null;
    case 'objectiveMeasureGreaterThan':
      return compare(measure(), (value) => value > threshold);
    case 'objectiveMeasureLessThan':
      return compare(measure(), (value) => value < threshold);
    case 'completed':
      return completedOf(draft, activity, reader, objective);
    case 'activityProgressKnown':
      return completedOf(draft, activity, reader, objective) !== null;
    case 'attempted':
      return trackOf(draft, activity).attempts > 0;
    case 'attemptLimitExceeded':
      return isAttemptLimitReached(draft, activity);
    case 'timeLimitExceeded':
      return isDurationExceeded(draft, activity);
    case 'always':
      return true;
    default:
      // Handles `never`, and also `outsideAvailableTimeRange`, which SCORM does not use (SN §3.5.3).
      return false;
  }
}

/** SN §3.13.1: an untracked activity has no status, although its maps pass values to the content. */
function ofUntracked({ Condition }: Condition): Ternary {
  if (Condition === 'always') return true;
  const needsValue = /^(satisfied|completed|objectiveMeasure(Greater|Less)Than)$/.test(Condition);
  return needsValue ? null : false;
}

const compare = (value: number | null, test: (value: number) => boolean): Ternary =>
  value === null ? null : test(value);

/** A reference to a missing objective refers to the primary one. */
function referenced({ positions, primary }: Activity, id: string | null): number {
  return (id === null ? undefined : positions.get(id)) ?? primary;
}

/** SN §3.5.1 */
export function isAttemptLimitReached(draft: Draft, activity: Activity): boolean {
  const { AttemptLimit } = activity.sequencing.Limits;
  return AttemptLimit !== null && trackOf(draft, activity).attempts >= AttemptLimit;
}

/** SN §3.5.2: compares the time since the attempt began, if the attempt is active or suspended. */
export function isDurationExceeded(draft: Draft, activity: Activity): boolean {
  const { attemptBegan } = trackOf(draft, activity);
  if (activity.durationLimit === null || attemptBegan === null) return false;
  return draft.now - attemptBegan > activity.durationLimit * 1_000;
}
