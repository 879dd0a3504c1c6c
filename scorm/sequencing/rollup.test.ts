import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RollupRule, RunTimeData, Sequencing } from '../../standards/types.ts';
import { learnerOf, rollupRule, rule } from '../test-support/learners.ts';
import { courseOf, group, leaf, mapWith } from '../test-support/trees.ts';
import { statuses } from './session.ts';

type Part = Parameters<typeof leaf>[1];

const completed = { 'cmi.completion_status': 'completed' };
const incomplete = { 'cmi.completion_status': 'incomplete' };
const passed = { 'cmi.success_status': 'passed' };
const failed = { 'cmi.success_status': 'failed' };
const scored = (scaled: string) => ({ 'cmi.score.scaled': scaled });
const progressed = (measure: string) => ({ 'cmi.progress_measure': measure });

type Child = { data?: RunTimeData; sequencing?: Part; weight?: number };

/** Opens each child that has data, one after the other, and returns the result of group g. */
function rolledUp(children: Child[], own: NonNullable<Part> = {}, threshold: { min: number } | null = null) {
  const byContent = { CompletionSetByContent: true, ObjectiveSetByContent: true };
  const units = children.map(({ sequencing, weight = 1 }, index) =>
    leaf(
      `c${index}`,
      { ...sequencing, Delivery: { ...byContent, ...sequencing?.Delivery } },
      {
        CompletionThreshold: { CompletedByMeasure: false, MinProgressMeasure: 1, ProgressWeight: weight },
      },
    ),
  );
  const CompletionThreshold = threshold && {
    ...{ CompletedByMeasure: true, MinProgressMeasure: threshold.min, ProgressWeight: 1 },
  };
  const course = courseOf([
    group('g', units, { ...own, ControlMode: { Flow: true } }, { CompletionThreshold }),
  ]);
  const learner = learnerOf(course);
  children.forEach(({ data }, index) => {
    if (!data) return;
    learner.ask(`choice c${index}`);
    learner.finish(data);
  });
  const status = new Map(statuses(course, learner.state)).get('g');
  assert.ok(status);
  const { completed: isCompleted, satisfied, measure, progress } = status;
  return { completed: isCompleted, satisfied, measure, progress };
}

describe('RB.1.1.a Measure Rollup Process (SN §4.6.3)', () => {
  const weight = (ObjectiveMeasureWeight: number) => ({ RollupRules: { ObjectiveMeasureWeight } });
  const cases: [title: string, children: Child[], measure: number | null][] = [
    ['nothing is known', [{}, {}], null],
    ['the mean', [{ data: scored('1') }, { data: scored('0.5') }], 0.75],
    ['a child without measure counts as 0', [{ data: scored('1') }, {}], 0.5],
    [
      'weights',
      [
        { data: scored('1'), sequencing: weight(0.75) },
        { data: scored('-1'), sequencing: weight(0.25) },
      ],
      0.5,
    ],
    ['weight 0 does not count', [{ data: scored('1'), sequencing: weight(0) }, { data: scored('0.2') }], 0.2],
    ['only weights of 0', [{ data: scored('1'), sequencing: weight(0) }], null],
    [
      'untracked children do not count',
      [{ data: scored('1') }, { sequencing: { Delivery: { Tracked: false } } }],
      1,
    ],
  ];
  for (const [title, children, measure] of cases)
    it(title, () => assert.equal(rolledUp(children).measure, measure));
});

describe('RB.1.1.b Completion Measure Rollup Process (SN §4.6.4)', () => {
  const cases: [title: string, children: Child[], progress: number | null][] = [
    ['nothing is known', [{ data: completed }], null],
    [
      'weights',
      [
        { data: progressed('1'), weight: 0.25 },
        { data: progressed('0'), weight: 0.75 },
      ],
      0.25,
    ],
    ['a child without measure counts as 0', [{ data: progressed('0.5') }, {}], 0.25],
  ];
  for (const [title, children, progress] of cases)
    it(title, () => assert.equal(rolledUp(children).progress, progress));

  it('sets completion from an applicable threshold, regardless of the rules (RB.1.3.a)', () => {
    const half = [{ data: { ...completed, ...progressed('0.5') } }];
    assert.equal(rolledUp(half, {}, { min: 0.5 }).completed, true);
    assert.equal(rolledUp(half, {}, { min: 0.51 }).completed, false);
    assert.equal(rolledUp([{ data: completed }], {}, { min: 0.5 }).completed, null);
  });
});

const byMeasure = (MinNormalizedMeasure: number): Sequencing['Objectives'] => [
  { ObjectiveID: 'p', Primary: true, SatisfiedByMeasure: true, MinNormalizedMeasure, Maps: [] },
];

describe('RB.1.2 Objective Rollup Process and RB.1.3 Activity Progress Rollup Process', () => {
  it('uses the measure if the objective is satisfied by measure (RB.1.2.a)', () => {
    const children = [{ data: { ...scored('0.5'), ...failed } }];
    assert.equal(rolledUp(children, { Objectives: byMeasure(0.5) }).satisfied, true);
    assert.equal(rolledUp(children, { Objectives: byMeasure(0.6) }).satisfied, false);
    assert.equal(rolledUp([{ data: passed }], { Objectives: byMeasure(0.6) }).satisfied, null);
  });

  it("with measureSatisfactionIfActive false, a group's measure counts only once the group has ended", () => {
    const RollupConsiderations = { MeasureSatisfactionIfActive: false };
    const course = courseOf([
      group('g', [leaf('a')], {
        ControlMode: { Flow: true },
        Objectives: byMeasure(0.5),
        RollupConsiderations,
      }),
    ]);
    const learner = learnerOf(course);
    const satisfied = () => new Map(statuses(course, learner.state)).get('g')?.satisfied;
    learner.ask('start');
    learner.finish(scored('0.5'));
    assert.equal(satisfied(), null);
    learner.ask('exitAll');
    assert.equal(satisfied(), true);
  });

  const defaults: [title: string, children: Child[], satisfied: boolean | null, completed: boolean | null][] =
    [
      ['nothing known', [{}, {}], null, null],
      ['one of two', [{ data: { ...passed, ...completed } }, {}], null, null],
      [
        'all positive',
        [{ data: { ...passed, ...completed } }, { data: { ...passed, ...completed } }],
        true,
        true,
      ],
      [
        'all known, one negative',
        [{ data: { ...passed, ...completed } }, { data: { ...failed, ...incomplete } }],
        false,
        false,
      ],
      ['one unknown', [{ data: { ...failed, ...incomplete } }, { data: {} }], null, null],
    ];
  for (const [title, children, satisfied, isCompleted] of defaults)
    it(`default rules: ${title}`, () => {
      const result = rolledUp(children);
      assert.deepEqual([result.satisfied, result.completed], [satisfied, isCompleted]);
    });

  it('applies no default rules for a status if the group defines a rule for it', () => {
    const Rules = [rollupRule('notSatisfied', 'any', 'attemptLimitExceeded')];
    assert.equal(rolledUp([{ data: passed }], { RollupRules: { Rules } }).satisfied, null);
    assert.equal(rolledUp([{ data: completed }], { RollupRules: { Rules } }).completed, true);
  });

  it('prefers satisfied over not satisfied, and completed over incomplete', () => {
    const Rules = ['satisfied', 'notSatisfied', 'completed', 'incomplete'].map((action) =>
      rollupRule(action, 'any', 'attempted'),
    );
    const { satisfied, completed: isCompleted } = rolledUp([{ data: {} }], { RollupRules: { Rules } });
    assert.deepEqual([satisfied, isCompleted], [true, true]);
  });

  it('does not change the status of an untracked group', () => {
    const result = rolledUp([{ data: { ...passed, ...completed } }], { Delivery: { Tracked: false } });
    assert.deepEqual([result.satisfied, result.completed], [null, null]);
  });
});

describe('RB.1.4 Rollup Rule Check Subprocess', () => {
  const three = [{ data: completed }, { data: incomplete }, {}];
  const cases: [set: string, more: Partial<RollupRule>, condition: string, applies: boolean][] = [
    ['all', {}, 'completed', false],
    ['all', {}, 'attempted', false],
    ['any', {}, 'completed', true],
    ['any', {}, 'objectiveMeasureKnown', false],
    ['none', {}, 'completed', false],
    ['none', {}, 'objectiveMeasureKnown', true],
    ['none', {}, 'satisfied', false],
    ['atLeastCount', { MinimumCount: 2 }, 'activityProgressKnown', true],
    ['atLeastCount', { MinimumCount: 3 }, 'activityProgressKnown', false],
    ['atLeastPercent', { MinimumPercent: 0.66 }, 'activityProgressKnown', true],
    ['atLeastPercent', { MinimumPercent: 0.67 }, 'activityProgressKnown', false],
    ['any', {}, 'not completed', true],
    ['atLeastCount', { MinimumCount: 2 }, 'not completed', false],
  ];
  for (const [set, more, condition, applies] of cases)
    it(`${set} ${JSON.stringify(more)} ${condition}: ${applies}`, () => {
      const Rules = [rollupRule('satisfied', set, condition, more)];
      assert.equal(rolledUp(three, { RollupRules: { Rules } }).satisfied, applies ? true : null);
    });

  it('combines several conditions (RB.1.4.1)', () => {
    const Conditions = ['completed', 'satisfied'].map((Condition) => ({
      Condition,
      Operator: 'noOp' as const,
    }));
    const result = (ConditionCombination: 'all' | 'any') =>
      rolledUp([{ data: completed }], {
        RollupRules: {
          Rules: [rollupRule('satisfied', 'all', 'always', { Conditions, ConditionCombination })],
        },
      });
    assert.deepEqual([result('any').satisfied, result('all').satisfied], [true, null]);
  });
});

describe('RB.1.4.2 Check Child for Rollup Subprocess (SN §3.9)', () => {
  const skip = [rule('pre', 'skip', 'always')];
  const suspended = { 'cmi.exit': 'suspend' };
  const cases: [title: string, other: Child, counts: boolean][] = [
    ['rollupProgressCompletion', { sequencing: { RollupRules: { RollupProgressCompletion: false } } }, false],
    ['always', { sequencing: {} }, true],
    [
      'ifAttempted, not attempted',
      { sequencing: { RollupConsiderations: { RequiredForCompleted: 'ifAttempted' } } },
      false,
    ],
    [
      'ifAttempted, attempted',
      { data: {}, sequencing: { RollupConsiderations: { RequiredForCompleted: 'ifAttempted' } } },
      true,
    ],
    [
      'ifNotSkipped, skipped',
      { sequencing: { Rules: skip, RollupConsiderations: { RequiredForCompleted: 'ifNotSkipped' } } },
      false,
    ],
    [
      'ifNotSkipped, not skipped',
      { sequencing: { RollupConsiderations: { RequiredForCompleted: 'ifNotSkipped' } } },
      true,
    ],
    [
      'ifNotSuspended, not attempted',
      { sequencing: { RollupConsiderations: { RequiredForCompleted: 'ifNotSuspended' } } },
      true,
    ],
    [
      'ifNotSuspended, suspended',
      { data: suspended, sequencing: { RollupConsiderations: { RequiredForCompleted: 'ifNotSuspended' } } },
      false,
    ],
    [
      'ifNotSuspended, ended',
      { data: {}, sequencing: { RollupConsiderations: { RequiredForCompleted: 'ifNotSuspended' } } },
      true,
    ],
  ];
  for (const [title, other, counts] of cases)
    it(`${title}: ${counts ? 'counts' : 'does not count'}`, () => {
      assert.equal(rolledUp([other, { data: completed }]).completed, counts ? null : true);
    });

  const others: [
    action: string,
    requirement: string,
    data: RunTimeData,
    field: 'satisfied' | 'completed',
    value: boolean,
  ][] = [
    ['satisfied', 'RequiredForSatisfied', passed, 'satisfied', true],
    ['notSatisfied', 'RequiredForNotSatisfied', failed, 'satisfied', false],
    ['completed', 'RequiredForCompleted', completed, 'completed', true],
    ['incomplete', 'RequiredForIncomplete', incomplete, 'completed', false],
  ];
  for (const [action, requirement, data, field, value] of others)
    it(`${requirement} applies only to ${action}`, () => {
      const condition = {
        satisfied: 'satisfied',
        notSatisfied: 'not satisfied',
        completed: 'completed',
        incomplete: 'not completed',
      }[action];
      const own = { RollupRules: { Rules: [rollupRule(action, 'all', condition ?? '')] } };
      const names = [
        'RequiredForSatisfied',
        'RequiredForNotSatisfied',
        'RequiredForCompleted',
        'RequiredForIncomplete',
      ];
      const results = names.map(
        (name) =>
          rolledUp([{ data }, { sequencing: { RollupConsiderations: { [name]: 'ifAttempted' } } }], own)[
            field
          ],
      );
      assert.deepEqual(
        results,
        names.map((name) => (name === requirement ? value : null)),
      );
    });

  it("a group's own rule is met if none of its children count", () => {
    const Rules = [rollupRule('completed', 'all', 'satisfied')];
    assert.equal(
      rolledUp([{ data: {}, sequencing: { Delivery: { Tracked: false } } }], { RollupRules: { Rules } })
        .completed,
      true,
    );
  });
});

describe('RB.1.5 Overall Rollup Process', () => {
  it('rolls up all groups whose members read a global objective that has changed', () => {
    const reads = mapWith('x', ['ReadSatisfiedStatus']);
    const writes = mapWith('x', ['WriteSatisfiedStatus']);
    const primary = (map: typeof reads) => [
      { ObjectiveID: null, Primary: true, SatisfiedByMeasure: false, MinNormalizedMeasure: 1, Maps: [map] },
    ];
    const course = courseOf([
      leaf('a', { Objectives: primary(writes) }),
      group('g', [group('h', [leaf('b', { Objectives: primary(reads) })])]),
    ]);
    const learner = learnerOf(course);
    learner.ask('start');
    learner.finish(passed);
    const all = new Map(statuses(course, learner.state));
    assert.deepEqual(
      ['b', 'h', 'g', 'root'].map((id) => all.get(id)?.satisfied),
      [true, true, true, true],
    );
  });

  it('counts only results from the current attempt on the parent (SN §3.2.6–7)', () => {
    const results = [true, false].map((UseCurrentAttemptProgressInfo) => {
      const Rules = [rollupRule('completed', 'atLeastCount', 'completed', { MinimumCount: 2 })];
      const sequencing = {
        ControlMode: { Flow: true, UseCurrentAttemptProgressInfo },
        RollupRules: { Rules },
      };
      const course = courseOf([group('g', [leaf('a'), leaf('b')], sequencing), leaf('c')]);
      const learner = learnerOf(course);
      for (const request of ['start', 'continue', 'continue', 'choice a']) learner.ask(request);
      learner.finish(completed);
      return new Map(statuses(course, learner.state)).get('g')?.completed;
    });
    assert.deepEqual(results, [null, true]);
  });
});
