import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { conditionFrom, learnerOf, rule } from '../test-support/learners.ts';
import { courseOf, leaf } from '../test-support/trees.ts';
import { combine, conditionOf, not, sequencingRulesCheck, type Ternary } from './rules.ts';

describe('three-valued logic (SN §4.4.2)', () => {
  const table: [Ternary[], all: Ternary, any: Ternary][] = [
    [[], null, null],
    [[true], true, true],
    [[false], false, false],
    [[null], null, null],
    [[true, true], true, true],
    [[true, false], false, true],
    [[true, null], null, true],
    [[false, null], false, null],
    [[false, false], false, false],
    [[null, null], null, null],
  ];
  for (const [truths, all, any] of table)
    it(JSON.stringify(truths), () =>
      assert.deepEqual([combine('all', truths), combine('any', truths)], [all, any]),
    );

  it('an unknown value stays unknown when negated', () =>
    assert.deepEqual([true, false, null].map(not), [false, true, null]));
});

const objectives = [
  { ObjectiveID: 'p', Primary: true, SatisfiedByMeasure: false, MinNormalizedMeasure: 1, Maps: [] },
  { ObjectiveID: 'o', Primary: false, SatisfiedByMeasure: true, MinNormalizedMeasure: 0.6, Maps: [] },
];
const seen = { 'cmi.objectives.0.id': 'o' };

/** SN §3.4.2: the content's report, the condition, and the condition's value. */
const conditions: [data: Record<string, string>, condition: string, truth: Ternary][] = [
  [{}, 'satisfied', null],
  [{ 'cmi.success_status': 'passed' }, 'satisfied', true],
  [{ 'cmi.success_status': 'failed' }, 'satisfied', false],
  [{ 'cmi.success_status': 'unknown' }, 'satisfied', null],
  [{}, 'objectiveStatusKnown', false],
  [{ 'cmi.success_status': 'failed' }, 'objectiveStatusKnown', true],
  [{ ...seen, 'cmi.objectives.0.score.scaled': '0.6' }, 'o: satisfied', true],
  [{ ...seen, 'cmi.objectives.0.score.scaled': '0.59' }, 'o: satisfied', false],
  [{ ...seen, 'cmi.objectives.0.success_status': 'passed' }, 'o: satisfied', null],
  [{ ...seen, 'cmi.objectives.0.success_status': 'passed' }, 'o: objectiveStatusKnown', false],
  [{ ...seen, 'cmi.objectives.0.completion_status': 'completed' }, 'o: completed', true],
  [{ 'cmi.completion_status': 'completed' }, 'o: completed', null],
  [{ 'cmi.completion_status': 'completed' }, 'o: activityProgressKnown', false],
  [{}, 'objectiveMeasureKnown', false],
  [{ 'cmi.score.scaled': '0' }, 'objectiveMeasureKnown', true],
  [{}, 'objectiveMeasureGreaterThan 0.5', null],
  [{ 'cmi.score.scaled': '0.5' }, 'objectiveMeasureGreaterThan 0.5', false],
  [{ 'cmi.score.scaled': '0.51' }, 'objectiveMeasureGreaterThan 0.5', true],
  [{ 'cmi.score.scaled': '0.5' }, 'objectiveMeasureGreaterThan', true],
  [{}, 'objectiveMeasureLessThan 0.5', null],
  [{ 'cmi.score.scaled': '0.5' }, 'objectiveMeasureLessThan 0.5', false],
  [{ 'cmi.score.scaled': '-1' }, 'objectiveMeasureLessThan 0.5', true],
  [{}, 'completed', null],
  [{ 'cmi.completion_status': 'completed' }, 'completed', true],
  [{ 'cmi.completion_status': 'incomplete' }, 'completed', false],
  [{ 'cmi.completion_status': 'not attempted' }, 'completed', false],
  [{}, 'activityProgressKnown', false],
  [{ 'cmi.completion_status': 'incomplete' }, 'activityProgressKnown', true],
  [{}, 'attempted', true],
  [{}, 'attemptLimitExceeded', true],
  [{}, 'timeLimitExceeded', false],
  [{}, 'always', true],
  [{}, 'never', false],
  [{}, 'outsideAvailableTimeRange', false],
];

describe('UP.2.1 conditions (SN §3.4.2)', () => {
  const limits = { AttemptLimit: 1, AttemptAbsoluteDurationLimit: 'PT3S' };
  const course = courseOf([leaf('u', { Objectives: objectives, Limits: limits }), leaf('v')]);
  const [, u, v] = course.activities;

  for (const [data, text, truth] of conditions)
    it(`${JSON.stringify(data)}: ${text} is ${truth ?? 'unknown'}`, () => {
      const learner = learnerOf(course);
      learner.ask('start');
      learner.finish(data);
      assert.equal(conditionOf(learner.draft(), u ?? course.root, conditionFrom(text)), truth);
    });

  it('an activity that has never been opened does not meet attempt conditions', () => {
    const learner = learnerOf(course);
    const truths = ['attempted', 'attemptLimitExceeded', 'timeLimitExceeded'].map((text) =>
      conditionOf(learner.draft(), v ?? course.root, conditionFrom(text)),
    );
    assert.deepEqual(truths, [false, false, false]);
  });

  it('time limits are measured from the start of the attempt (SN §3.5.2)', () => {
    const learner = learnerOf(course);
    learner.ask('start');
    const exceeded = (now: number) =>
      conditionOf({ ...learner.draft(), now }, u ?? course.root, conditionFrom('timeLimitExceeded'));
    assert.deepEqual([exceeded(4_000), exceeded(4_001)], [false, true]);
  });

  it('statuses are unknown for an untracked activity (SN §3.13.1)', () => {
    const untracked = courseOf([leaf('u', { Delivery: { Tracked: false } })]);
    const learner = learnerOf(untracked);
    learner.ask('start');
    learner.finish({ 'cmi.success_status': 'passed', 'cmi.completion_status': 'completed' });
    const texts = [
      'satisfied',
      'completed',
      'objectiveStatusKnown',
      'activityProgressKnown',
      'attempted',
      'always',
    ];
    const truths = texts.map((text) =>
      conditionOf(learner.draft(), untracked.activities[1] ?? untracked.root, conditionFrom(text)),
    );
    assert.deepEqual(truths, [null, null, false, false, false, true]);
  });
});

describe('UP.2 Sequencing Rules Check Process', () => {
  const check = (...rules: ReturnType<typeof rule>[]) => {
    const course = courseOf([leaf('u', { Rules: rules })]);
    const found = sequencingRulesCheck(
      learnerOf(course).draft(),
      course.activities[1] ?? course.root,
      'skip',
    );
    return found?.index ?? null;
  };

  it('finds the first rule for the action that definitely applies', () => {
    assert.equal(check(rule('pre', 'disabled', 'always'), rule('pre', 'skip', 'not attempted')), 1);
    assert.equal(check(rule('pre', 'skip', 'attempted'), rule('pre', 'skip', 'always')), 1);
  });

  it('ignores rules without conditions and rules with unknown conditions, even negated ones', () => {
    assert.equal(check(rule('pre', 'skip', 'satisfied')), null);
    assert.equal(check(rule('pre', 'skip', 'not satisfied')), null);
    assert.equal(check(rule('pre', 'skip')), null);
    assert.equal(check(rule('post', 'skip', 'always')), null);
  });
});
