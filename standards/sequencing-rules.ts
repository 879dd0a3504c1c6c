import { clamp, parseBoolean, parseNumber } from './numbers.ts';
import type { RollupRule, Sequencing, SequencingRule } from './types.ts';
import type { Warn } from './warnings.ts';
import { attributeOf, childOf, childrenOf, type XmlElement } from './xml.ts';

const conditions = [
  'satisfied',
  'objectiveStatusKnown',
  'objectiveMeasureKnown',
  'objectiveMeasureGreaterThan',
  'objectiveMeasureLessThan',
  'completed',
  'activityProgressKnown',
  'attempted',
  'attemptLimitExceeded',
  'timeLimitExceeded',
  'outsideAvailableTimeRange',
  'always',
];
const rollupConditions = [
  ...['satisfied', 'objectiveStatusKnown', 'objectiveMeasureKnown', 'completed', 'activityProgressKnown'],
  ...['attempted', 'attemptLimitExceeded', 'timeLimitExceeded', 'outsideAvailableTimeRange', 'never'],
];
const actions = {
  pre: ['skip', 'disabled', 'hiddenFromChoice', 'stopForwardTraversal'],
  post: ['exitParent', 'exitAll', 'retry', 'retryAll', 'continue', 'previous'],
  exit: ['exit'],
};
const rollupActions = ['satisfied', 'notSatisfied', 'completed', 'incomplete'];
const childSets = ['all', 'any', 'none', 'atLeastCount', 'atLeastPercent'];

export function readSequencingRules(element: XmlElement | null, warn: Warn): SequencingRule[] {
  const rules = (When: SequencingRule['When']) =>
    childrenOf(element, `${When}ConditionRule`).flatMap((rule) => sequencingRule(rule, When, warn));
  return [...rules('pre'), ...rules('exit'), ...rules('post')];
}

function sequencingRule(rule: XmlElement, When: SequencingRule['When'], warn: Warn): SequencingRule[] {
  const group = childOf(rule, 'ruleConditions');
  const Action = word(actions[When], attributeOf(childOf(rule, 'ruleAction'), 'action'));
  const Conditions = childrenOf(group, 'ruleCondition').flatMap((condition) => {
    const Condition = word(conditions, attributeOf(condition, 'condition'));
    if (!Condition) return [];
    const threshold = parseNumber(attributeOf(condition, 'measureThreshold'));
    return {
      Condition,
      Operator: operator(condition),
      ReferencedObjective: attributeOf(condition, 'referencedObjective')?.trim() || null,
      MeasureThreshold: threshold === null ? null : clamp(threshold, -1, 1),
    };
  });
  if (!Action || Conditions.length < childrenOf(group, 'ruleCondition').length) return ignored(rule, warn);
  return [{ When, ConditionCombination: combination(group, 'all'), Conditions, Action }];
}

export function readRollupRules(element: XmlElement | null, warn: Warn): Sequencing['RollupRules'] {
  return {
    RollupObjectiveSatisfied: parseBoolean(attributeOf(element, 'rollupObjectiveSatisfied'), true),
    RollupProgressCompletion: parseBoolean(attributeOf(element, 'rollupProgressCompletion'), true),
    ObjectiveMeasureWeight: clamp(parseNumber(attributeOf(element, 'objectiveMeasureWeight')) ?? 1, 0, 1),
    Rules: childrenOf(element, 'rollupRule').flatMap((rule) => rollupRule(rule, warn)),
  };
}

function rollupRule(rule: XmlElement, warn: Warn): RollupRule[] {
  const group = childOf(rule, 'rollupConditions');
  const Action = word(rollupActions, attributeOf(childOf(rule, 'rollupAction'), 'action'));
  const Conditions = childrenOf(group, 'rollupCondition').flatMap((condition) => {
    const Condition = word(rollupConditions, attributeOf(condition, 'condition'));
    return Condition ? [{ Condition, Operator: operator(condition) }] : [];
  });
  const complete = Conditions.length > 0 && Conditions.length === childrenOf(group, 'rollupCondition').length;
  if (!Action || !complete) return ignored(rule, warn);
  const minimum = parseNumber(attributeOf(rule, 'minimumCount')) ?? 0;
  return [
    {
      ChildActivitySet: word(childSets, attributeOf(rule, 'childActivitySet')) ?? 'all',
      MinimumCount: Math.trunc(clamp(minimum, 0, 1_000_000)),
      MinimumPercent: clamp(parseNumber(attributeOf(rule, 'minimumPercent')) ?? 0, 0, 1),
      ConditionCombination: combination(group, 'any'),
      Conditions,
      Action,
    },
  ];
}

/** A rule with unknown parts would not do what its author intended, so it is ignored. */
function ignored(rule: XmlElement, warn: Warn): [] {
  const effect = 'it is ignored, so navigation or results may differ from what was intended';
  warn(
    'warning',
    `A ${rule.name} has an unknown or missing condition or action; ${effect}`,
    rule.line,
    'sequencing rules that are ignored',
  );
  return [];
}

function word(vocabulary: string[], text: string | null): string | null {
  const wanted = text?.trim().toLowerCase();
  return vocabulary.find((known) => known.toLowerCase() === wanted) ?? null;
}

function operator(condition: XmlElement): 'noOp' | 'not' {
  return attributeOf(condition, 'operator')?.trim().toLowerCase() === 'not' ? 'not' : 'noOp';
}

function combination(group: XmlElement | null, otherwise: 'all' | 'any'): 'all' | 'any' {
  const text = attributeOf(group, 'conditionCombination')?.trim().toLowerCase();
  return text === 'all' || text === 'any' ? text : otherwise;
}
