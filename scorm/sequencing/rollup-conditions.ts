import type { RollupRule } from '../../standards/types.ts';
import type { Activity } from './course.ts';
import { type Draft, trackOf } from './draft.ts';
import { combine, conditionOf, not, sequencingRulesCheck, type Ternary } from './rules.ts';
import { availableChildren } from './tree.ts';

export type RollupAction = 'satisfied' | 'notSatisfied' | 'completed' | 'incomplete';

const standardRule = (Action: RollupAction, Condition: string): RollupRule => ({
  ChildActivitySet: 'all',
  MinimumCount: 0,
  MinimumPercent: 0,
  ConditionCombination: 'any',
  Conditions: [{ Condition, Operator: 'noOp' }],
  Action,
});

/**
 * RB.1.2.b and RB.1.3.b: the default rules for an activity that defines no rules for success, or no rules for
 * completion.
 */
const standardRules: Record<RollupAction, readonly RollupRule[]> = {
  notSatisfied: [standardRule('notSatisfied', 'objectiveStatusKnown')],
  satisfied: [standardRule('satisfied', 'satisfied')],
  incomplete: [standardRule('incomplete', 'activityProgressKnown')],
  completed: [standardRule('completed', 'completed')],
};
const opposites: Record<RollupAction, RollupAction> = {
  satisfied: 'notSatisfied',
  notSatisfied: 'satisfied',
  completed: 'incomplete',
  incomplete: 'completed',
};

export function rulesFor({ rollupRules }: Activity, action: RollupAction): readonly RollupRule[] {
  const own = rollupRules.get(action);
  return own ?? (rollupRules.has(opposites[action]) ? [] : standardRules[action]);
}

/** RB.1.4: Rollup Rule Check Subprocess (SN §4.6.5). */
export function rollupRuleCheck(draft: Draft, activity: Activity, action: RollupAction): boolean {
  const rules = rulesFor(activity, action);
  if (rules.length === 0) return false;
  const considered = availableChildren(draft, activity).filter(
    (child) => child.sequencing.Delivery.Tracked && checkChildForRollup(draft, child, action),
  );
  return rules.some((rule) =>
    isFulfilled(
      rule,
      considered.map((child) => evaluateRollupConditions(draft, child, rule)),
    ),
  );
}

/** SN §3.7.1: whether enough of the contributing children meet the conditions. */
function isFulfilled(rule: RollupRule, truths: readonly Ternary[]): boolean {
  const count = truths.filter((truth) => truth === true).length;
  switch (rule.ChildActivitySet) {
    case 'all':
      return count === truths.length;
    case 'any':
      return count > 0;
    case 'none':
      return truths.every((truth) => truth === false);
    case 'atLeastCount':
      return count >= rule.MinimumCount;
    case 'atLeastPercent':
      return count / truths.length >= rule.MinimumPercent;
    default:
      return false;
  }
}

/** RB.1.4.1: Evaluate Rollup Conditions Subprocess. */
function evaluateRollupConditions(draft: Draft, child: Activity, rule: RollupRule): Ternary {
  const truths = rule.Conditions.map(({ Condition, Operator }) => {
    const truth = conditionOf(draft, child, { Condition }, 'parent');
    return Operator === 'not' ? not(truth) : truth;
  });
  return combine(rule.ConditionCombination, truths);
}

/** RB.1.4.2: Check Child for Rollup Subprocess, with the roll-up considerations of SN §3.9. */
function checkChildForRollup(draft: Draft, child: Activity, action: RollupAction): boolean {
  const { RollupRules, RollupConsiderations } = child.sequencing;
  switch (action) {
    case 'satisfied':
      return (
        RollupRules.RollupObjectiveSatisfied &&
        isConsidered(draft, child, RollupConsiderations.RequiredForSatisfied)
      );
    case 'notSatisfied':
      return (
        RollupRules.RollupObjectiveSatisfied &&
        isConsidered(draft, child, RollupConsiderations.RequiredForNotSatisfied)
      );
    case 'completed':
      return (
        RollupRules.RollupProgressCompletion &&
        isConsidered(draft, child, RollupConsiderations.RequiredForCompleted)
      );
    case 'incomplete':
      return (
        RollupRules.RollupProgressCompletion &&
        isConsidered(draft, child, RollupConsiderations.RequiredForIncomplete)
      );
  }
}

function isConsidered(draft: Draft, child: Activity, requirement: string): boolean {
  const { attempts, suspended } = trackOf(draft, child);
  switch (requirement) {
    case 'ifNotSuspended':
      return attempts === 0 || !suspended;
    case 'ifAttempted':
      return attempts > 0;
    case 'ifNotSkipped':
      return sequencingRulesCheck(draft, child, 'skip') === null;
    default:
      return true;
  }
}
