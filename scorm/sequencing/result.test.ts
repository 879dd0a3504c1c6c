import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { courseOf, group, leaf } from '../test-support/trees.ts';
import { type CourseResult, completionOf, courseResult, percent, successOf } from './result.ts';
import type { ActivityStatus } from './session.ts';

const unknown: ActivityStatus = {
  ...{ completed: null, satisfied: null, measure: null, progress: null },
  ...{ attempts: 0, suspended: false, active: false },
};
const unweighted = { RollupRules: { ObjectiveMeasureWeight: 0 } };
const threshold = { CompletedByMeasure: true, MinProgressMeasure: 0.8, ProgressWeight: 1 };

describe('the result of a course', () => {
  const nothing: CourseResult = { Completion: 'unknown', Success: 'unknown', Score: null, Progress: 0 };
  type Known = Record<string, Partial<ActivityStatus>>;
  const cases: [title: string, statuses: Known, result: Partial<CourseResult>][] = [
    ['nothing is known', {}, {}],
    [
      "the root's statuses count",
      { root: { completed: true, satisfied: false } },
      { Completion: 'completed', Success: 'failed' },
    ],
    [
      "the root's negative statuses count",
      { root: { completed: false, satisfied: true } },
      { Completion: 'incomplete', Success: 'passed' },
    ],
    ['progress is the proportion of completed units', { a: { completed: true } }, { Progress: 33.33 }],
    ['groups do not count as units', { a: { completed: true }, g: { completed: true } }, { Progress: 33.33 }],
    ['units that are not completed do not count', { a: { completed: false }, b: { completed: null } }, {}],
    ["the root's measure is the score", { root: { measure: 0.755 }, a: { measure: 1 } }, { Score: 75.5 }],
    ['a measure of 0 is a score', { root: { measure: 0 }, a: { measure: 0 } }, { Score: 0 }],
    ['a negative measure is 0', { root: { measure: -0.5 }, a: { measure: -0.5 } }, { Score: 0 }],
    ['a measure of units without weight does not count', { root: { measure: 0.5 }, c: { measure: 0.5 } }, {}],
    ['a measure of groups alone does not count', { root: { measure: 0.5 }, g: { measure: 0.5 } }, {}],
    ['a measure of units alone does not count', { a: { measure: 0.5 } }, {}],
    ["the root's progress measure does not count without a threshold", { root: { progress: 0.5 } }, {}],
  ];
  const course = courseOf([leaf('a'), group('g', [leaf('b')]), leaf('c', unweighted)]);
  for (const [title, known, expected] of cases)
    it(title, () => {
      const statuses = new Map(
        course.activities.map(({ id }) => [id, { ...unknown, ...known[id] }] as const),
      );
      assert.deepEqual(courseResult(course, statuses), { ...nothing, ...expected });
    });

  it("with a threshold, progress is the root's measure", () => {
    const measured = courseOf([leaf('a'), leaf('b')], {}, { CompletionThreshold: threshold });
    const statuses = (progress: number | null) =>
      new Map([
        ['root', { ...unknown, progress }],
        ['a', { ...unknown, completed: true }],
      ]);
    assert.equal(courseResult(measured, statuses(0.2)).Progress, 20);
    assert.equal(courseResult(measured, statuses(null)).Progress, 50);
  });

  it('a course without statuses has no result', () => {
    assert.deepEqual(courseResult(course, new Map()), nothing);
    assert.deepEqual(courseResult(courseOf([]), new Map()), nothing);
  });

  it('statuses become words, and measures become percentages', () => {
    assert.deepEqual(
      [true, false, null].map((completed) => completionOf({ completed })),
      ['completed', 'incomplete', 'unknown'],
    );
    assert.deepEqual(
      [true, false, null].map((satisfied) => successOf({ satisfied })),
      ['passed', 'failed', 'unknown'],
    );
    assert.deepEqual([0.12345, -1, 2, 1, 0].map(percent), [12.35, 0, 100, 100, 0]);
  });
});
