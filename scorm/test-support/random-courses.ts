import fc from 'fast-check';
import type {
  CourseTree,
  Objective,
  RollupRule,
  Sequencing,
  SequencingRule,
  Unit,
} from '../../standards/types.ts';
import type { Course } from '../sequencing/course.ts';
import { type NavigationRequest, plainRequests } from '../sequencing/requests.ts';
import { group, leaf, sequencingWith, treeOf } from './trees.ts';

const usually = (otherwise: boolean) =>
  fc.integer({ min: 0, max: 4 }).map((n) => (n > 0 ? otherwise : !otherwise));
const condition = fc.record({
  Condition: fc.constantFrom(
    ...[
      'satisfied',
      'objectiveStatusKnown',
      'objectiveMeasureKnown',
      'objectiveMeasureGreaterThan',
      'completed',
    ],
    ...['activityProgressKnown', 'attempted', 'attemptLimitExceeded', 'timeLimitExceeded', 'always'],
  ),
  Operator: fc.constantFrom('noOp' as const, 'not' as const),
  ReferencedObjective: fc.constantFrom(null, 'a', 'b'),
  MeasureThreshold: fc.constantFrom(null, 0, 0.5),
});
const actions = {
  pre: ['skip', 'disabled', 'hiddenFromChoice', 'stopForwardTraversal'],
  post: ['exitParent', 'exitAll', 'retry', 'retryAll', 'continue', 'previous'],
  exit: ['exit'],
};
const rule: fc.Arbitrary<SequencingRule> = fc
  .constantFrom('pre' as const, 'post' as const, 'exit' as const)
  .chain((When) =>
    fc.record({
      When: fc.constant(When),
      ConditionCombination: fc.constantFrom('all' as const, 'any' as const),
      Conditions: fc.array(condition, { minLength: 1, maxLength: 2 }),
      Action: fc.constantFrom(...actions[When]),
    }),
  );
const rollupRule: fc.Arbitrary<RollupRule> = fc.record({
  ChildActivitySet: fc.constantFrom('all', 'any', 'none', 'atLeastCount', 'atLeastPercent'),
  MinimumCount: fc.integer({ min: 0, max: 3 }),
  MinimumPercent: fc.constantFrom(0, 0.5, 1),
  ConditionCombination: fc.constantFrom('all' as const, 'any' as const),
  Conditions: fc.array(condition, { minLength: 1, maxLength: 2 }),
  Action: fc.constantFrom('satisfied', 'notSatisfied', 'completed', 'incomplete'),
});
const map: fc.Arbitrary<Objective['Maps'][number]> = fc.record({
  TargetObjectiveID: fc.constantFrom('g', 'h'),
  ...{ ReadSatisfiedStatus: fc.boolean(), WriteSatisfiedStatus: fc.boolean() },
  ...{ ReadNormalizedMeasure: fc.boolean(), WriteNormalizedMeasure: fc.boolean() },
  ...{ ReadRawScore: fc.boolean(), WriteRawScore: fc.boolean() },
  ...{ ReadMinScore: fc.boolean(), WriteMinScore: fc.boolean() },
  ...{ ReadMaxScore: fc.boolean(), WriteMaxScore: fc.boolean() },
  ...{ ReadCompletionStatus: fc.boolean(), WriteCompletionStatus: fc.boolean() },
  ...{ ReadProgressMeasure: fc.boolean(), WriteProgressMeasure: fc.boolean() },
});
const objective = (ObjectiveID: string, Primary: boolean): fc.Arbitrary<Objective> =>
  fc.record({
    ...{ ObjectiveID: fc.constant(ObjectiveID), Primary: fc.constant(Primary) },
    SatisfiedByMeasure: usually(false),
    MinNormalizedMeasure: fc.constantFrom(0, 0.5),
    Maps: fc.array(map, { maxLength: 1 }),
  });
const requirement = fc.constantFrom('always', 'always', 'ifAttempted', 'ifNotSkipped', 'ifNotSuspended');
const timing = fc.constantFrom('never', 'once', 'onEachNewAttempt');
const sequencing: fc.Arbitrary<Sequencing | null> = fc.option(
  fc.record({
    ControlMode: fc.record({
      ...{
        Choice: usually(true),
        ChoiceExit: usually(true),
        Flow: usually(true),
        ForwardOnly: usually(false),
      },
      UseCurrentAttemptObjectiveInfo: usually(true),
      UseCurrentAttemptProgressInfo: usually(true),
    }),
    ConstrainedChoice: fc.record({ PreventActivation: usually(false), ConstrainChoice: usually(false) }),
    Rules: fc.array(rule, { maxLength: 2 }),
    Limits: fc.record({
      AttemptLimit: fc.constantFrom(null, null, 1, 2),
      AttemptAbsoluteDurationLimit: fc.constantFrom(null, null, 'PT5S'),
    }),
    RollupRules: fc.record({
      ...{ RollupObjectiveSatisfied: usually(true), RollupProgressCompletion: usually(true) },
      ObjectiveMeasureWeight: fc.constantFrom(0, 0.5, 1),
      Rules: fc.array(rollupRule, { maxLength: 2 }),
    }),
    RollupConsiderations: fc.record({
      ...{ RequiredForSatisfied: requirement, RequiredForNotSatisfied: requirement },
      ...{ RequiredForCompleted: requirement, RequiredForIncomplete: requirement },
      MeasureSatisfactionIfActive: usually(true),
    }),
    Objectives: fc.tuple(objective('a', true), objective('b', false)).map((both) => [...both]),
    Randomization: fc.record({
      ...{ RandomizationTiming: timing, SelectionTiming: timing, ReorderChildren: usually(false) },
      SelectCount: fc.constantFrom(null, null, 1, 2),
    }),
    Delivery: fc.record({
      ...{ Tracked: usually(true), CompletionSetByContent: usually(false) },
      ObjectiveSetByContent: usually(false),
    }),
  }),
  { freq: 4, nil: null },
);

type Shape = { sequencing: Sequencing | null; children: Shape[] };
const noChildren: Shape[] = [];
const shape = fc.letrec<{ node: Shape }>((tie) => ({
  node: fc.record({
    sequencing,
    children: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.constant(noChildren),
      fc.array(tie('node'), { maxLength: 4 }),
    ),
  }),
})).node;

export const trees: fc.Arbitrary<CourseTree> = fc
  .tuple(sequencing, fc.array(shape, { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([own, shapes, ObjectivesGlobalToSystem]) => {
    let count = 0;
    const unit = (each: Shape): Unit => {
      count += 1;
      const id = `u${count}`;
      const made = each.children.length > 0 ? group(id, each.children.map(unit)) : leaf(id);
      return { ...made, Sequencing: each.sequencing };
    };
    const Sequencing = own ?? sequencingWith({ ControlMode: { Flow: true } });
    return { ...treeOf(shapes.map(unit), {}, { ObjectivesGlobalToSystem }), Sequencing };
  });

export type Act = { request: { kind: string; target: number }; ends: boolean; data: Record<string, string> };
const act: fc.Arbitrary<Act> = fc.record({
  request: fc.record({
    kind: fc.constantFrom(...plainRequests, 'continue', 'continue', 'previous', 'choice', 'choice', 'jump'),
    target: fc.nat({ max: 12 }),
  }),
  ends: usually(true),
  data: fc.dictionary(
    fc.constantFrom(
      ...[
        'cmi.completion_status',
        'cmi.success_status',
        'cmi.score.scaled',
        'cmi.progress_measure',
        'cmi.exit',
      ],
      'cmi.objectives.0.success_status',
    ),
    fc.constantFrom(
      'completed',
      'incomplete',
      'passed',
      'failed',
      'unknown',
      '0.2',
      '0.9',
      'suspend',
      'normal',
    ),
  ),
});

export const acts: fc.Arbitrary<Act[]> = fc.array(act, { minLength: 1, maxLength: 25 });

export const manyActs = (count: number): fc.Arbitrary<Act[]> =>
  fc.array(act, { minLength: count, maxLength: count, size: 'max' });

export function requestOf(course: Course, { kind, target }: Act['request']): NavigationRequest {
  const { id } = course.activities[target % course.activities.length] ?? course.root;
  if (kind === 'choice' || kind === 'jump') return { kind, target: id };
  return { kind: plainRequests.find((plain) => plain === kind) ?? 'continue' };
}
