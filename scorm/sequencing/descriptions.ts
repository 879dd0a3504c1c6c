import { plainIdentifier } from '../../standards/objectives.ts';
import type { SequencingRule } from '../../standards/types.ts';
import { type Activity, type Course, reads } from './course.ts';

/** The names of the conditions. `Not` inverts a condition. */
export const conditionNames = [
  ...([
    'passed',
    'completed',
    'done',
    'opened',
    'scoreAbove',
    'scoreBelow',
    'resultKnown',
    'scoreKnown',
  ] as const),
  ...(['progressKnown', 'attemptsUsedUp', 'timeUsedUp', 'always', 'never'] as const),
] as const;

export const ruleNames = [
  ...([
    'opensAfter',
    'unavailableIf',
    'skippedIf',
    'hiddenIf',
    'lastIf',
    'endsIf',
    'repeatsIf',
    'restartsIf',
  ] as const),
  ...([
    'courseEndsIf',
    'groupEndsIf',
    'continuesIf',
    'goesBackIf',
    'attemptLimit',
    'timeLimit',
    'inOrder',
  ] as const),
  ...(['forwardOnly', 'selection', 'shuffled', 'passScore', 'completionShare', 'prerequisites'] as const),
] as const;

export type DescribedCondition = {
  Condition: (typeof conditionNames)[number];
  Not: boolean;
  /**
   * The titles of the units that the condition checks. If there are several, at least one of them must meet the
   * condition. Empty if the condition checks the unit itself or an objective.
   */
  Units: string[];
  /** The ID of an objective that no unit of the course sets. */
  Objective: string | null;
  /** A percentage if the condition checks a score. */
  Value: number | null;
};

/** A rule of an activity as data, which can be turned into a sentence. */
export type DescribedRule = {
  Rule: (typeof ruleNames)[number];
  /** Whether all conditions must be met, or any one of them. */
  Match: 'all' | 'any';
  Conditions: DescribedCondition[];
  /** A number of attempts or units, a number of seconds, or a percentage. */
  Value: number | null;
};

const ruleOfAction: Record<string, DescribedRule['Rule']> = {
  ...{ disabled: 'unavailableIf', skip: 'skippedIf', hiddenFromChoice: 'hiddenIf' },
  ...{ stopForwardTraversal: 'lastIf', exit: 'endsIf', retry: 'repeatsIf', retryAll: 'restartsIf' },
  ...{ exitAll: 'courseEndsIf', exitParent: 'groupEndsIf', continue: 'continuesIf', previous: 'goesBackIf' },
};

const namesOfConditions: Record<string, DescribedCondition['Condition']> = {
  ...{ satisfied: 'passed', completed: 'completed', attempted: 'opened', always: 'always' },
  ...{ objectiveMeasureGreaterThan: 'scoreAbove', objectiveMeasureLessThan: 'scoreBelow' },
  ...{ objectiveStatusKnown: 'resultKnown', objectiveMeasureKnown: 'scoreKnown' },
  ...{ activityProgressKnown: 'progressKnown', attemptLimitExceeded: 'attemptsUsedUp' },
  timeLimitExceeded: 'timeUsedUp',
};

export const plainRule = (Rule: DescribedRule['Rule'], Value: number | null = null): DescribedRule => ({
  ...{ Rule, Match: 'all', Conditions: [], Value },
});

/** The rules of an activity, in order of importance to learners. */
export function describeActivity(course: Course, activity: Activity): DescribedRule[] {
  const { sequencing, children, durationLimit } = activity;
  const { ControlMode, Limits, Randomization } = sequencing;
  const isGroup = children.length > 0;
  const { SelectCount, SelectionTiming, ReorderChildren, RandomizationTiming } = Randomization;
  const selects = SelectCount !== null && SelectionTiming !== 'never' && SelectCount < children.length;
  return [
    ...sequencing.Rules.map((rule) => describeRule(course, activity, rule)),
    ...(Limits.AttemptLimit === null ? [] : [plainRule('attemptLimit', Limits.AttemptLimit)]),
    ...(durationLimit === null ? [] : [plainRule('timeLimit', durationLimit)]),
    ...(isGroup && !ControlMode.Choice ? [plainRule('inOrder')] : []),
    ...(isGroup && ControlMode.ForwardOnly ? [plainRule('forwardOnly')] : []),
    ...(isGroup && selects ? [plainRule('selection', SelectCount)] : []),
    ...(isGroup && ReorderChildren && RandomizationTiming !== 'never' ? [plainRule('shuffled')] : []),
    ...thresholdsOf(activity),
  ];
}

function thresholdsOf({
  objectives,
  primary,
  completedByMeasure,
  minProgressMeasure,
}: Activity): DescribedRule[] {
  const objective = objectives[primary];
  return [
    ...(objective?.SatisfiedByMeasure
      ? [plainRule('passScore', inPercent(objective.MinNormalizedMeasure))]
      : []),
    ...(completedByMeasure ? [plainRule('completionShare', inPercent(minProgressMeasure))] : []),
  ];
}

/**
 * One sequencing rule. If the rule disables a unit until a condition is met, the description says that the
 * unit opens after it. It does not mention that a status may be unknown, because learners do not need to know this.
 */
export function describeRule(course: Course, activity: Activity, rule: SequencingRule): DescribedRule {
  const conditions = withoutRepetitions(
    rule.Conditions.map((each) => describeCondition(course, activity, each)),
  );
  const Rule = ruleOfAction[rule.Action] ?? 'unavailableIf';
  const Match = rule.ConditionCombination;
  if (Rule !== 'unavailableIf' || !conditions.every(({ Not }) => Not))
    return { Rule, Match, Conditions: conditions, Value: null };
  return {
    Rule: 'opensAfter',
    Match: Match === 'any' ? 'all' : 'any',
    Conditions: conditions.map((each) => ({ ...each, Not: false })),
    Value: null,
  };
}

function describeCondition(
  course: Course,
  activity: Activity,
  { Condition, Operator, ReferencedObjective, MeasureThreshold }: SequencingRule['Conditions'][number],
): DescribedCondition {
  const name = namesOfConditions[Condition] ?? 'never';
  const isScore = name === 'scoreAbove' || name === 'scoreBelow';
  return {
    ...{ Condition: name, Not: Operator === 'not' },
    ...sourcesOf(course, activity, ReferencedObjective),
    Value: isScore ? inPercent(MeasureThreshold ?? 0) : null,
  };
}

/** The maximum number of titles per condition. Long sentences are truncated anyway. */
const maxSources = 50;

/**
 * The units or the objective that a condition checks. A condition can refer to one of the activity's
 * objectives into which a map reads values written by other activities.
 */
function sourcesOf(
  { writers }: Course,
  activity: Activity,
  id: string | null,
): Pick<DescribedCondition, 'Units' | 'Objective'> {
  const position = id === null ? undefined : activity.positions.get(plainIdentifier(id));
  const own = position === undefined ? undefined : activity.objectives[position];
  const objective = own ?? activity.objectives[activity.primary];
  const targets = (objective?.Maps ?? []).filter(reads).map(({ TargetObjectiveID }) => TargetObjectiveID);
  if (targets.length === 0) return { Units: [], Objective: own && !own.Primary ? own.ObjectiveID : null };
  const found = new Set(targets.flatMap((target) => writers.get(target)?.slice(0, maxSources) ?? []));
  const sources = [...found].sort((one, other) => one.index - other.index).slice(0, maxSources);
  if (sources.length === 1 && sources[0] === activity) return { Units: [], Objective: null };
  return {
    Units: sources.map(({ title }) => title),
    Objective: sources.length === 0 ? (targets[0] ?? null) : null,
  };
}

/** Removes conditions that only require a known status if another condition checks the status itself. */
function withoutRepetitions(conditions: DescribedCondition[]): DescribedCondition[] {
  const stronger: Partial<Record<DescribedCondition['Condition'], DescribedCondition['Condition'][]>> = {
    ...{ resultKnown: ['passed'], progressKnown: ['completed'], scoreKnown: ['scoreAbove', 'scoreBelow'] },
  };
  const key = ({ Not, Units, Objective }: DescribedCondition, condition: string) =>
    JSON.stringify([condition, Not, Objective, Units]);
  const stated = new Set(conditions.map((each) => key(each, each.Condition)));
  return conditions.filter(
    (each) => !stronger[each.Condition]?.some((other) => stated.has(key(each, other))),
  );
}

const inPercent = (measure: number) => Math.round(measure * 1_000) / 10;
