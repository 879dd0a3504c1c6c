import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  CourseTree,
  Objective,
  RollupRule,
  RunTimeData,
  SupportedResults,
  Unit,
} from '../../standards/types.ts';
import { rollupRule } from '../test-support/learners.ts';
import { courseOf, group, leaf, mapWith } from '../test-support/trees.ts';
import { courseLimit, visitedActivities } from './course-limit.ts';
import { type GlobalObjective, unknownObjective } from './state.ts';
import { supportedResults } from './supported-results.ts';

const done = {
  ...{ 'cmi.completion_status': 'completed', 'cmi.success_status': 'passed' },
  'cmi.score.scaled': '0.8',
};
const begun = { 'cmi.completion_status': 'incomplete', 'cmi.success_status': 'failed' };
const flow = { Flow: true };
type Data = Record<string, RunTimeData>;

function limitOf(
  units: Unit[],
  data: Data,
  sequencing: Parameters<typeof courseOf>[1] = { ControlMode: flow },
  more: Partial<CourseTree> = {},
  shared: [string, GlobalObjective][] = [],
) {
  const course = courseOf(units, sequencing, more);
  const supported = new Map(
    Object.entries(data).map(([id, each]) => [id, supportedResults(course, id, each)]),
  );
  return courseLimit(course, supported, shared);
}

/** RB.1.4: the rule for completion, what the units reported, and whether the course can be completed. */
const some: Partial<RollupRule> = { MinimumCount: 2, MinimumPercent: 0.5 };
const rules: [set: string, condition: string, data: Data, isPossible: boolean][] = [
  ['all', 'completed', {}, false],
  ['all', 'completed', { a: done, b: done }, false],
  ['all', 'completed', { a: done, b: done, c: done }, true],
  ['any', 'completed', {}, false],
  ['any', 'completed', { a: begun }, false],
  ['any', 'completed', { c: done }, true],
  ['none', 'completed', {}, true],
  ['none', 'completed', { a: done, b: done, c: done }, true],
  ['atLeastCount', 'completed', { a: done }, false],
  ['atLeastCount', 'completed', { a: done, c: done }, true],
  ['atLeastPercent', 'completed', { a: done }, false],
  ['atLeastPercent', 'completed', { a: done, b: done }, true],
  ['sometimes', 'completed', { a: done, b: done, c: done }, false],
  ['any', 'satisfied', { a: { 'cmi.success_status': 'failed' } }, false],
  ['any', 'satisfied', { a: { 'cmi.success_status': 'passed' } }, true],
  ['any', 'objectiveMeasureKnown', { a: begun }, false],
  ['any', 'objectiveMeasureKnown', { a: { 'cmi.score.scaled': '0' } }, true],
  ['any', 'attempted', {}, false],
  ['any', 'attempted', { a: begun }, true],
  ['any', 'activityProgressKnown', { a: begun }, true],
  ['any', 'always', {}, true],
  ['any', 'never', { a: done }, false],
  ['any', 'outsideAvailableTimeRange', { a: done }, false],
  ['any', 'not always', { a: done }, false],
  ['any', 'not never', {}, true],
  ['all', 'not completed', { a: done, b: done, c: done }, true],
];

describe('the limit with a rule for completion', () => {
  for (const [set, condition, data, isPossible] of rules)
    it(`${set} ${condition}, ${Object.keys(data).join()}: ${isPossible}`, () => {
      const RollupRules = { Rules: [rollupRule('completed', set, condition, some)] };
      const limit = limitOf([leaf('a'), leaf('b'), leaf('c')], data, { ControlMode: flow, RollupRules });
      assert.equal(limit?.Completion, isPossible ? 'completed' : 'incomplete');
    });

  const combinations: [combination: 'all' | 'any', data: Data, isPossible: boolean][] = [
    ['all', { a: { 'cmi.completion_status': 'completed', 'cmi.success_status': 'failed' } }, false],
    ['any', { a: { 'cmi.completion_status': 'completed', 'cmi.success_status': 'failed' } }, true],
    ['all', { a: done }, true],
    ['any', { a: begun }, false],
  ];
  for (const [ConditionCombination, data, isPossible] of combinations)
    it(`${ConditionCombination} of two conditions: ${isPossible}`, () => {
      const Conditions = ['completed', 'satisfied'].map((Condition) => ({
        Condition,
        Operator: 'noOp' as const,
      }));
      const one = { ...rollupRule('completed', 'any', 'completed'), ConditionCombination, Conditions };
      const limit = limitOf([leaf('a')], data, { ControlMode: flow, RollupRules: { Rules: [one] } });
      assert.equal(limit?.Completion, isPossible ? 'completed' : 'incomplete');
    });

  it('a rule without conditions is never fulfilled, and a rule without a percentage is always fulfilled', () => {
    const empty = { ...rollupRule('completed', 'any', 'completed'), Conditions: [] };
    const always = rollupRule('completed', 'atLeastPercent', 'completed', { MinimumPercent: 0 });
    const limit = (rule: RollupRule) =>
      limitOf([leaf('a')], { a: begun }, { ControlMode: flow, RollupRules: { Rules: [rule] } })?.Completion;
    assert.deepEqual([limit(empty), limit(always)], ['incomplete', 'completed']);
  });

  it('meeting one of several rules is sufficient', () => {
    const Rules = [rollupRule('completed', 'all', 'completed'), rollupRule('completed', 'any', 'completed')];
    const limit = limitOf([leaf('a'), leaf('b')], { a: done }, { ControlMode: flow, RollupRules: { Rules } });
    assert.equal(limit?.Completion, 'completed');
    const forSuccess = [
      rollupRule('satisfied', 'all', 'satisfied'),
      rollupRule('satisfied', 'any', 'satisfied'),
    ];
    const sequencing = { ControlMode: flow, RollupRules: { Rules: forSuccess } };
    assert.equal(limitOf([leaf('a'), leaf('b')], { a: done }, sequencing)?.Success, 'passed');
  });
});

describe('which units the limit requires', () => {
  const cases: [title: string, other: Parameters<typeof leaf>[1], Completion: string, Success: string][] = [
    ['it requires every unit by default', {}, 'incomplete', 'failed'],
    [
      'it ignores units without roll-up',
      { RollupRules: { RollupObjectiveSatisfied: false, RollupProgressCompletion: false } },
      'completed',
      'passed',
    ],
    [
      'it requires units with roll-up of completion',
      { RollupRules: { RollupObjectiveSatisfied: false } },
      'incomplete',
      'passed',
    ],
    [
      'it requires units with roll-up of success',
      { RollupRules: { RollupProgressCompletion: false } },
      'completed',
      'failed',
    ],
    ['it ignores untracked units', { Delivery: { Tracked: false } }, 'completed', 'passed'],
    [
      'it ignores units that are only sometimes required for completion',
      { RollupConsiderations: { RequiredForCompleted: 'ifAttempted' } },
      'completed',
      'failed',
    ],
    [
      'it ignores units that are only sometimes required for success',
      { RollupConsiderations: { RequiredForSatisfied: 'ifNotSkipped' } },
      'incomplete',
      'passed',
    ],
  ];
  for (const [title, other, Completion, Success] of cases)
    it(title, () => {
      const limit = limitOf([leaf('a'), leaf('b', other)], { a: done });
      assert.deepEqual([limit?.Completion, limit?.Success], [Completion, Success]);
    });

  it('a unit that is only sometimes required does not count until it is completed', () => {
    const RollupRules = {
      Rules: [rollupRule('completed', 'atLeastPercent', 'completed', { MinimumPercent: 0.5 })],
    };
    const optional = { RollupConsiderations: { RequiredForCompleted: 'ifAttempted' } };
    const limit = (data: Data) =>
      limitOf([leaf('a', optional), leaf('b'), leaf('c')], data, { ControlMode: flow, RollupRules })
        ?.Completion;
    assert.deepEqual(
      [limit({ a: done }), limit({ b: done }), limit({})],
      ['incomplete', 'completed', 'incomplete'],
    );
  });

  it('it requires as many units as are selected', () => {
    const limit = (SelectCount: number, data: Data) =>
      limitOf([leaf('a'), leaf('b'), leaf('c')], data, {
        ControlMode: flow,
        Randomization: { SelectCount, SelectionTiming: 'once' },
      })?.Completion;
    assert.deepEqual(
      [limit(2, { a: done }), limit(2, { a: done, b: done }), limit(1, { c: done }), limit(5, { a: done })],
      ['incomplete', 'completed', 'completed', 'incomplete'],
    );
  });

  it('an untracked group has no result', () => {
    const limit = limitOf(
      [group('g', [leaf('a')], { ControlMode: flow, Delivery: { Tracked: false } }), leaf('b')],
      {
        a: done,
      },
    );
    assert.deepEqual(limit, { Completion: 'incomplete', Success: 'failed', Score: null, Progress: 50 });
  });
});

describe('the limit of measures', () => {
  const score = (value: string) => ({ 'cmi.score.scaled': value });
  const cases: [title: string, weights: number[], data: Data, Score: number | null][] = [
    ['no measure is known', [1, 1], { a: begun }, null],
    ['a unit without a measure counts as 0', [1, 1], { a: score('0.8') }, 40],
    [
      'a negative measure counts as 0, because it may have been unknown',
      [1, 1],
      { a: score('0.8'), b: score('-1') },
      40,
    ],
    ['weights', [3, 1], { a: score('0.8'), b: score('0.4') }, 70],
    ['a unit without weight does not count', [1, 0], { a: score('0.5'), b: score('1') }, 50],
    ['no unit has a weight', [0, 0], { a: score('0.5') }, null],
  ];
  for (const [title, [first = 1, second = 1], data, Score] of cases)
    it(title, () => {
      const unit = (id: string, ObjectiveMeasureWeight: number) =>
        leaf(id, { RollupRules: { ObjectiveMeasureWeight } });
      assert.equal(limitOf([unit('a', first), unit('b', second)], data)?.Score, Score);
    });

  it('the limit is the measure of the best child if some children are selected', () => {
    const Randomization = { SelectCount: 1, SelectionTiming: 'once' };
    const limit = limitOf(
      [leaf('a'), leaf('b')],
      { a: score('0.3'), b: score('0.9') },
      { ControlMode: flow, Randomization },
    );
    assert.equal(limit?.Score, 90);
  });

  const threshold = { CompletedByMeasure: true, MinProgressMeasure: 0.5, ProgressWeight: 1 };
  const progress = (value: string) => ({ ...begun, 'cmi.progress_measure': value });
  const measured: [value: string | null, Completion: string, Progress: number][] = [
    [null, 'incomplete', 0],
    ['0.4', 'incomplete', 40],
    ['0.5', 'completed', 50],
    ['0.9', 'completed', 90],
  ];
  for (const [value, Completion, Progress] of measured)
    it(`the limit with a progress measure of ${value}`, () => {
      const data = value === null ? { a: { 'cmi.completion_status': 'completed' } } : { a: progress(value) };
      const limit = limitOf([leaf('a')], data, { ControlMode: flow }, { CompletionThreshold: threshold });
      assert.deepEqual([limit?.Completion, limit?.Progress], [Completion, value === null ? 100 : Progress]);
    });

  it("a unit's threshold takes precedence over the reported status", () => {
    const unit = leaf('a', {}, { CompletionThreshold: threshold });
    const said = { 'cmi.completion_status': 'completed' };
    const limit = (data: RunTimeData) => limitOf([unit], { a: data })?.Completion;
    assert.deepEqual(
      [limit(said), limit(progress('0.49')), limit(progress('0.5'))],
      ['incomplete', 'incomplete', 'completed'],
    );
  });

  it("a unit's passing score takes precedence over the reported status", () => {
    const Objectives = [
      { ObjectiveID: 'p', Primary: true, SatisfiedByMeasure: true, MinNormalizedMeasure: 0.5, Maps: [] },
    ];
    const limit = (data: RunTimeData) => limitOf([leaf('a', { Objectives })], { a: data })?.Success;
    const said = { 'cmi.success_status': 'passed' };
    assert.deepEqual(
      [limit(said), limit({ ...said, ...score('0.4') }), limit(score('0.5'))],
      ['failed', 'failed', 'passed'],
    );
  });
});

describe('the limit with global objectives', () => {
  const objectives = (...flags: string[]): { Objectives: Objective[] } => ({
    Objectives: [
      {
        ...{ ObjectiveID: 'p', Primary: true, SatisfiedByMeasure: false, MinNormalizedMeasure: 1 },
        Maps: [mapWith('x', flags)],
      },
    ],
  });
  /** The flags with which units a and b map the global objective, and the best result for the course. */
  const reads = ['SatisfiedStatus', 'NormalizedMeasure', 'CompletionStatus', 'ProgressMeasure'].map(
    (fact) => `Read${fact}`,
  );
  const cases: [
    written: string[],
    read: string[],
    expected: [Completion: string, Success: string, Score: number | null],
  ][] = [
    [[], reads, ['incomplete', 'failed', 40]],
    [['WriteSatisfiedStatus'], reads, ['incomplete', 'passed', 40]],
    [['WriteCompletionStatus'], reads, ['completed', 'failed', 40]],
    [['WriteNormalizedMeasure'], reads, ['incomplete', 'failed', 80]],
    [
      ['WriteSatisfiedStatus', 'WriteCompletionStatus', 'WriteNormalizedMeasure'],
      [],
      ['incomplete', 'failed', 40],
    ],
    [['WriteSatisfiedStatus'], ['ReadCompletionStatus'], ['incomplete', 'failed', 40]],
  ];
  for (const [written, read, expected] of cases)
    it(`${written.join()} and ${read.length === 4 ? 'all reads' : read.join()}`, () => {
      const limit = limitOf([leaf('a', objectives(...written)), leaf('b', objectives(...read))], { a: done });
      assert.deepEqual([limit?.Completion, limit?.Success, limit?.Score], expected);
    });

  it('values from other courses count', () => {
    const units = [leaf('b', objectives(...reads))];
    const known: GlobalObjective = {
      ...unknownObjective,
      satisfied: true,
      completed: true,
      measure: 0.6,
      progress: 0.3,
    };
    const from = (value: GlobalObjective) => limitOf(units, {}, { ControlMode: flow }, {}, [['x', value]]);
    assert.deepEqual(from(known), { Completion: 'completed', Success: 'passed', Score: 60, Progress: 100 });
    const not = { ...unknownObjective, satisfied: false, completed: false };
    assert.deepEqual(from(not), { Completion: 'incomplete', Success: 'failed', Score: null, Progress: 0 });
  });

  it('a progress measure is passed on', () => {
    const CompletionThreshold = { CompletedByMeasure: true, MinProgressMeasure: 0.5, ProgressWeight: 1 };
    const units = [
      leaf('a', objectives('WriteProgressMeasure')),
      leaf('b', objectives('ReadProgressMeasure'), { CompletionThreshold }),
    ];
    const limit = (value: string) =>
      limitOf(units, { a: { ...done, 'cmi.progress_measure': value } })?.Completion;
    assert.deepEqual([limit('0.4'), limit('0.5')], ['incomplete', 'completed']);
  });

  it('groups pass on their values, whatever their order', () => {
    const writes = { ControlMode: flow, ...objectives('WriteSatisfiedStatus') };
    const reader = leaf('b', { ...objectives('ReadSatisfiedStatus') });
    const writer = group('g', [leaf('a')], writes);
    for (const units of [
      [writer, reader],
      [reader, writer],
    ]) {
      assert.equal(limitOf(units, { a: done })?.Success, 'passed');
      assert.equal(limitOf(units, { b: done })?.Success, 'failed');
    }
  });

  it('units that only read global objectives count as visited, and so do the groups that contain them', () => {
    const course = courseOf([
      group('g', [leaf('a', objectives('ReadSatisfiedStatus'))]),
      group('h', [leaf('b'), leaf('c')]),
      leaf('d'),
    ]);
    const ids = (units: string[]) =>
      [...visitedActivities(course, new Map(units.map((id) => [id, []])))].map(({ id }) => id).sort();
    assert.deepEqual(ids([]), ['a', 'g', 'root']);
    assert.deepEqual(ids(['b', 'nowhere']), ['a', 'b', 'g', 'h', 'root']);
  });

  it('reports for groups or missing units do not count', () => {
    const course = courseOf([group('g', [leaf('a')])]);
    const all = new Map<string, SupportedResults>([
      ['g', [[0, { completed: true, satisfied: true }]]],
      ['nowhere', [[0, { completed: true }]]],
    ]);
    const limit = courseLimit(course, all);
    assert.deepEqual(limit, { Completion: 'incomplete', Success: 'failed', Score: null, Progress: 0 });
  });
});
