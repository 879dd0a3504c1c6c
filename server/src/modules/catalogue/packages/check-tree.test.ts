import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prepareCourse } from '../../../../../scorm/sequencing/course.ts';
import { group, leaf, mapWith, treeOf } from '../../../../../scorm/test-support/trees.ts';
import { nothing } from '../../../../../standards/evidence.ts';
import { resultsWith } from '../../../../../standards/results.ts';
import type { CourseTree, Objective, RollupRule, SequencingRule } from '../../../../../standards/types.ts';
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
const conditions = (count: number, writers: number) =>
  treeOf([
    leaf('reader', {
      Objectives: [objective('primary', ['ReadSatisfiedStatus'], ['global'])],
      Rules: times(10, () => rule(count / 10)),
    }),
    ...times(writers, (at) =>
      leaf(`w${at}`, { Objectives: [objective('primary', ['WriteSatisfiedStatus'], ['global'])] }),
    ),
  ]);
const objectives = (count: number) =>
  treeOf([
    leaf('u0', { Objectives: [objective('primary'), ...times(count - 1, (at) => objective(`o${at}`))] }),
  ]);
const inGroup = (tree: CourseTree): CourseTree => treeOf([group('g', tree.Units, tree.Sequencing ?? {})]);

const tooLarge: [name: string, tree: CourseTree, detail: RegExp][] = [
  ['objectives', objectives(501), /501 objectives of one unit, but the maximum is 500/],
  ['rules', treeOf([leaf('u0', { Rules: times(201, () => rule(1)) })]), /201 rules of one unit/],
  ['rollup rules', rollups(1_000, 100), /100000 conditions for the results of a group/],
  [
    'rollup rules below the top',
    inGroup(rollups(2_000, 100)),
    /200000 conditions for the results of a group/,
  ],
  ['conditions', conditions(1_000, 100), /references from conditions to units/],
  ['characters', treeOf([leaf('x'.repeat(2_100_000))]), /characters of units/],
];
for (const [name, tree, detail] of tooLarge)
  test(`a course with too many ${name} is rejected`, () => {
    assert.throws(() => checkTree(tree), { code: 'package_too_large', message: detail });
  });

const largest: [name: string, tree: CourseTree][] = [
  ['objectives', objectives(500)],
  ['rollup rules', rollups(1_000, 20)],
  ['conditions', conditions(1_000, 15)],
  ['prerequisites', { ...treeOf(times(3_000, (at) => ({ ...leaf(`u${at}`), Prerequisites: 'u0' }))) }],
];
for (const [name, tree] of largest)
  test(`a course with as many ${name} as possible is evaluated quickly`, () => {
    checkTree(tree);
    const course = prepareCourse(tree, 'Course');
    const [unit] = tree.Units;
    assert.ok(unit);
    const claim = { unit, data: { 'cmi.completion_status': 'completed' }, treeState: null, isComplete: true };
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
      explain: () => unavailableIn(course, null, 0),
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
