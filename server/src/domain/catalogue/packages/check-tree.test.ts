import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultSequencing, prepareCourse } from '../../../../../scorm/sequencing/course.ts';
import { group, leaf, mapWith, treeOf } from '../../../../../scorm/test-support/trees.ts';
import { nothing } from '../../../../../standards/evidence.ts';
import { resultsWith } from '../../../../../standards/results.ts';
import type {
  CourseTree,
  Objective,
  RollupRule,
  SequencingRule,
  Unit,
} from '../../../../../standards/types.ts';
import { unavailableIn } from '../../../../../standards/unavailable.ts';
import { rulesOf, titlesOf } from '../../../../../standards/unit-rules.ts';
import { checkTree } from './check-tree.ts';

const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

const objective = (id: string, flags: string[] = [], targets: string[] = []): Objective => ({
  ...{ ObjectiveID: id, Primary: id === 'primary', SatisfiedByMeasure: false, MinNormalizedMeasure: 1 },
  Maps: targets.map((target) => mapWith(target, flags)),
});
const rule = (conditions: number): SequencingRule => ({
  ...{ When: 'pre', Action: 'disabled', ConditionCombination: 'all' },
  Conditions: times(conditions, () => ({
    ...{ Condition: 'satisfied', Operator: 'not', ReferencedObjective: null, MeasureThreshold: null },
  })),
});
const rollup = (): RollupRule => ({
  ...{ ChildActivitySet: 'all', MinimumCount: 0, MinimumPercent: 0, ConditionCombination: 'all' },
  ...{ Conditions: [{ Condition: 'never', Operator: 'noOp' }], Action: 'satisfied' },
});
const rollups = (units: number, rules: number) =>
  treeOf(
    times(units, (at) => leaf(`u${at}`)),
    { RollupRules: { ...rollupDefaults, Rules: times(rules, rollup) } },
  );
const rollupDefaults = {
  ...{ RollupObjectiveSatisfied: true, RollupProgressCompletion: true, ObjectiveMeasureWeight: 1 },
};
const conditions = (count: number, writers: number, target = 'global') =>
  treeOf([
    leaf('reader', {
      Objectives: [objective('primary', ['ReadSatisfiedStatus'], ['global'])],
      Rules: times(10, () => rule(count / 10)),
    }),
    ...times(writers, (at) =>
      leaf(`w${at}`, { Objectives: [objective('primary', ['WriteSatisfiedStatus'], [target])] }),
    ),
  ]);
const objectives = (count: number) =>
  treeOf([
    leaf('u0', { Objectives: [objective('primary'), ...times(count - 1, (at) => objective(`o${at}`))] }),
  ]);
/** Each group reads the objectives that the previous group writes. */
const chain = (groups: number, children: number, rules: number) =>
  treeOf(
    times(groups, (at) => {
      const reader = { Objectives: [objective('primary', ['ReadSatisfiedStatus'], [`o${at - 1}`])] };
      const first = leaf(`r${at}`, at === 0 ? {} : reader);
      return group(`g${at}`, [first, ...times(children - 1, (n) => leaf(`u${at}-${n}`))], {
        Objectives: [objective('primary', ['WriteSatisfiedStatus'], [`o${at}`])],
        RollupRules: { ...rollupDefaults, Rules: times(rules, rollup) },
      });
    }),
  );
/**
 * A group's rules check the progress of a unit. The unit has many objective maps with these
 * `flags`.
 */
const mapped = (conditions: number, maps: number, flags: string[]) =>
  treeOf(
    [
      leaf(
        'u0',
        {
          Objectives: [
            objective(
              'primary',
              flags,
              times(maps, (at) => `t${at}`),
            ),
          ],
        },
        { CompletionThreshold: { CompletedByMeasure: true, MinProgressMeasure: 0.5, ProgressWeight: 1 } },
      ),
    ],
    {
      RollupRules: {
        ...rollupDefaults,
        Rules: times(100, () => ({
          ...{ ...rollup(), Action: 'completed' },
          Conditions: times(conditions / 100, () => ({
            Condition: 'activityProgressKnown',
            Operator: 'noOp',
          })),
        })),
      },
    },
  );
const nested = (depth: number, unit: Unit, id: string): Unit =>
  depth === 0 ? unit : group(`${id}-${depth}`, [nested(depth - 1, unit, id)]);
/** Choosing a group looks for the first unit in or after it that is not skipped. */
const walked = (groups: number, units: number) => {
  const always = {
    Condition: 'always',
    Operator: 'noOp',
    ReferencedObjective: null,
    MeasureThreshold: null,
  } as const;
  const skip: SequencingRule = { ...rule(0), Action: 'skip', Conditions: [always] };
  const skippedUnit = (id: string) => leaf(id, { Rules: [skip] });
  return treeOf(
    [
      ...times(groups / 60, (at) => nested(60, skippedUnit(`u${at}`), `g${at}`)),
      ...times(units, (at) => skippedUnit(`s${at}`)),
    ],
    {
      ControlMode: { ...defaultSequencing.ControlMode, Flow: true },
      Randomization: {
        ...{ ReorderChildren: true, RandomizationTiming: 'once' },
        ...{ SelectCount: null, SelectionTiming: 'never' },
      },
    },
  );
};
/** A unit that is included in rollup unless it is skipped. */
const skipped = (conditions: number, rules: number) =>
  treeOf([
    group(
      'g',
      [
        leaf('u0', {
          Rules: [{ ...rule(conditions), Action: 'skip' }],
          RollupConsiderations: {
            ...{ RequiredForSatisfied: 'ifNotSkipped', RequiredForNotSatisfied: 'ifNotSkipped' },
            ...{ RequiredForCompleted: 'ifNotSkipped', RequiredForIncomplete: 'ifNotSkipped' },
          },
        }),
      ],
      { RollupRules: { ...rollupDefaults, Rules: times(rules, rollup) } },
    ),
  ]);
const inGroup = (tree: CourseTree): CourseTree => treeOf([group('g', tree.Units, tree.Sequencing ?? {})]);

const tooLarge: [name: string, tree: CourseTree, detail: RegExp][] = [
  ['objectives', objectives(501), /501 objectives of one unit, but the maximum is 500/],
  ['rules', treeOf([leaf('u0', { Rules: times(201, () => rule(1)) })]), /201 rules of one unit/],
  ['rollup rules', rollups(1_000, 100), /100000 conditions for the results of groups/],
  ['rollup rules below the top', inGroup(rollups(2_000, 100)), /200000 conditions for the results of groups/],
  [
    'rollup rules of several groups',
    treeOf(times(3, (at) => group(`g${at}`, rollups(1_000, 10).Units, rollups(1_000, 10).Sequencing ?? {}))),
    /30000 conditions for the results of groups/,
  ],
  [
    'conditions above its units',
    treeOf([
      group(
        'g',
        times(1_000, (at) => leaf(`u${at}`)),
        { Rules: [rule(100)] },
      ),
    ]),
    /100100 conditions of rules, counted once for each unit below/,
  ],
  [
    'conditions, with differently encoded identifiers,',
    conditions(1_000, 100, '%20glob%61l'),
    /102000 conditions of rules and units that the conditions refer to/,
  ],
  ['conditions', conditions(1_000, 100), /102000 conditions of rules and units that the conditions refer to/],
  [
    'conditions of its own units',
    treeOf([leaf('u0', { Rules: [rule(20_001)] })]),
    /20001 conditions of rules/,
  ],
  [
    'prerequisites',
    treeOf([{ ...leaf('u0'), Prerequisites: 'u0&'.repeat(20_000) }]),
    /20001 conditions of rules/,
  ],
  [
    'long titles in rules',
    treeOf([{ ...leaf('u0'), Title: 'x'.repeat(1_000), Prerequisites: 'u0&'.repeat(1_001) }]),
    /1001000 characters of titles in its rules/,
  ],
  ['characters', treeOf([leaf('x'.repeat(2_100_000))]), /characters of units/],
];
for (const [name, tree, detail] of tooLarge)
  test(`a course with too many ${name} is rejected`, () => {
    assert.throws(() => checkTree(tree), { code: 'package_too_large', message: detail });
  });

const largest: [name: string, tree: CourseTree][] = [
  ['objectives', objectives(500)],
  ['rollup rules', rollups(1_000, 20)],
  ['rollup rules in a chain of groups', chain(32, 20, 31)],
  ['conditions for skipping', skipped(20_000, 200)],
  ['maps that read progress', mapped(20_000, 2_000, ['ReadProgressMeasure'])],
  ['maps that read nothing', mapped(20_000, 2_000, [])],
  ['conditions', conditions(1_000, 15)],
  ['skipped units after shuffled groups', walked(600, 1_000)],
  ['conditions in one rule', treeOf([leaf('u0', { Rules: [rule(20_000)] })])],
  [
    'units closed by one rule',
    treeOf([
      group(
        'g',
        times(1_000, (at) => leaf(`u${at}`)),
        { Rules: [{ ...rule(99), ConditionCombination: 'any' }] },
      ),
    ]),
  ],
  [
    'units that each have many prerequisites',
    {
      ...treeOf(
        times(140, (at) => ({ ...leaf(`u${at}`), Prerequisites: times(140, (n) => `u${n}`).join('&') })),
      ),
    },
  ],
  ['prerequisites', { ...treeOf(times(3_000, (at) => ({ ...leaf(`u${at}`), Prerequisites: 'u0' }))) }],
];
for (const [name, tree] of largest)
  test(`a course with as many ${name} as possible is evaluated quickly`, () => {
    checkTree(tree);
    const course = prepareCourse(tree, 'Course');
    const [unit] = tree.Units;
    assert.ok(unit);
    const claim = { unit, data: { 'cmi.completion_status': 'completed' }, treeState: null };
    const root = { Completion: 'completed', Success: 'passed', Score: 100, Progress: 100 } as const;
    const titles = titlesOf(tree);
    const work = {
      commit: () =>
        resultsWith(
          { standard: 'scorm2004-4th', tree, course },
          { units: {}, course: nothing },
          { ...claim, root },
        ),
      rules: () => tree.Units.map((one) => rulesOf(titles, course, one)),
      'rules of SCORM 1.2': () => tree.Units.map((one) => rulesOf(titles, null, one)),
      explain: () => unavailableIn(course, null, 0, 100),
    };
    for (const [step, run] of Object.entries(work)) {
      run();
      const before = process.threadCpuUsage();
      run();
      const { user, system } = process.threadCpuUsage(before);
      const milliseconds = (user + system) / 1_000;
      assert.ok(milliseconds < 400, `${step}: ${milliseconds} ms`);
    }
  });
