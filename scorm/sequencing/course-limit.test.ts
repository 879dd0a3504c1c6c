import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { RunTimeData, SupportedResults } from '../../standards/types.ts';
import { rollupRule } from '../test-support/learners.ts';
import { acts, requestOf, trees } from '../test-support/random-courses.ts';
import { courseOf, flowing, group, leaf, mapWith } from '../test-support/trees.ts';
import { type Course, prepareCourse } from './course.ts';
import { courseLimit } from './course-limit.ts';
import { replayedResult } from './replay.ts';
import { courseResult } from './result.ts';
import * as session from './session.ts';
import { unknownObjective } from './state.ts';
import { mergeSupportedResults, supportedResults } from './supported-results.ts';

const resultIn = (course: Course, state: Parameters<typeof session.statuses>[1]) =>
  courseResult(course, new Map(session.statuses(course, state)));

function assertWithin(found: ReturnType<typeof courseResult>, limit: ReturnType<typeof courseLimit>) {
  // There is no limit if objectives have circular dependencies.
  if (!limit) return;
  const message = JSON.stringify({ found, limit });
  if (found.Completion === 'completed') assert.equal(limit.Completion, 'completed', message);
  if (found.Success === 'passed') assert.equal(limit.Success, 'passed', message);
  assert.ok(found.Score === null || found.Score <= (limit.Score ?? -1) + 0.011, message);
  assert.ok(found.Progress <= limit.Progress + 0.011, message);
}

describe('any tree and any requests', () => {
  it('the result of an honest learner and the replayed result never exceed the limit', () => {
    fc.assert(
      fc.property(trees, acts, fc.nat(), (tree, list, seed) => {
        const course = prepareCourse(tree, 'Course');
        const known = new Map<string, SupportedResults>();
        const report = (unitID: string, data: RunTimeData) =>
          known.set(
            unitID,
            mergeSupportedResults(known.get(unitID) ?? [], supportedResults(course, unitID, data)),
          );
        let state = session.createState(course, { seed, now: 0 });
        let now = 0;
        for (const { request, ends, data } of list) {
          now += 1_000;
          const unitID = state.current;
          if (unitID !== null) {
            report(unitID, data);
            if (!ends) report(unitID, {});
            assertWithin(
              resultIn(course, session.reported(course, state, { unitID, data })),
              courseLimit(course, known),
            );
            if (ends) state = session.unitEnded(course, state, { unitID, data }, now).state;
          }
          state = session.request(course, state, requestOf(course, request), now).state;
          const limit = courseLimit(course, known);
          assertWithin(resultIn(course, state), limit);
          assertWithin(replayedResult(course, known), limit);
        }
      }),
      { numRuns: 400 },
    );
  });
});

const supported = (course: Course, data: Record<string, RunTimeData>) =>
  new Map(Object.entries(data).map(([id, each]) => [id, supportedResults(course, id, each)]));
const done = {
  'cmi.completion_status': 'completed',
  'cmi.success_status': 'passed',
  'cmi.score.scaled': '0.8',
};
const begun = { 'cmi.completion_status': 'incomplete', 'cmi.success_status': 'failed' };

describe('the result limit', () => {
  it('requires all units of a course without rules, and weights their measures', () => {
    const course = courseOf([leaf('a'), leaf('b', { RollupRules: { ObjectiveMeasureWeight: 3 } })]);
    const one = courseLimit(course, supported(course, { a: done }));
    assert.deepEqual(one, { Completion: 'incomplete', Success: 'failed', Score: 20, Progress: 50 });
    const both = courseLimit(course, supported(course, { a: done, b: done }));
    assert.deepEqual(both, { Completion: 'completed', Success: 'passed', Score: 80, Progress: 100 });
    const notBoth = courseLimit(course, supported(course, { a: done, b: begun }));
    assert.deepEqual(notBoth, one);
  });

  it('allows a completion that the end of an attempt assigns to content that reports nothing', () => {
    const course = courseOf([leaf('a')]);
    assert.equal(courseLimit(course, supported(course, { a: {} }))?.Completion, 'completed');
    assert.equal(courseLimit(course, supported(course, { a: begun }))?.Completion, 'incomplete');
    const strict = courseOf([leaf('a', { Delivery: { CompletionSetByContent: true } })]);
    assert.equal(courseLimit(strict, supported(strict, { a: {} }))?.Completion, 'incomplete');
  });

  it('takes group rules, selections and global objectives into account', () => {
    const any = { RollupRules: { Rules: [rollupRule('completed', 'any', 'completed')] } };
    const course = courseOf([group('g', [leaf('a'), leaf('b')], any)], flowing);
    assert.equal(courseLimit(course, supported(course, { b: done }))?.Completion, 'completed');
    const selecting = courseOf([leaf('a'), leaf('b')], {
      Randomization: { SelectCount: 1, SelectionTiming: 'once' },
    });
    assert.equal(courseLimit(selecting, supported(selecting, { b: done }))?.Completion, 'completed');
    const reading = (ObjectiveID: string, flags: string[]) => ({
      Objectives: [
        {
          ObjectiveID,
          Primary: true,
          SatisfiedByMeasure: false,
          MinNormalizedMeasure: 1,
          Maps: [mapWith('x', flags)],
        },
      ],
    });
    const linked = courseOf([
      leaf('a', reading('one', ['WriteSatisfiedStatus'])),
      leaf('b', reading('two', ['ReadSatisfiedStatus'])),
    ]);
    assert.equal(courseLimit(linked, supported(linked, { a: done }))?.Success, 'passed');
    assert.equal(courseLimit(linked, supported(linked, { b: done }))?.Success, 'failed');
    const byMeasure = {
      ...flowing,
      Objectives: [
        {
          ObjectiveID: 'g',
          Primary: true,
          SatisfiedByMeasure: true,
          MinNormalizedMeasure: 0.5,
          Maps: [mapWith('x', ['WriteSatisfiedStatus'])],
        },
      ],
      RollupRules: { RollupObjectiveSatisfied: false },
    };
    const measured = courseOf([
      group('g', [leaf('a')], byMeasure),
      leaf('b', reading('two', ['ReadSatisfiedStatus'])),
    ]);
    const scoreOnly = { ...done, 'cmi.success_status': 'failed' };
    assert.equal(courseLimit(measured, supported(measured, { a: scoreOnly }))?.Success, 'passed');
    const elsewhere = [['x', { ...unknownObjective, satisfied: true }]] as const;
    assert.equal(courseLimit(linked, supported(linked, { a: done }), elsewhere)?.Success, 'passed');
  });
});

it('the replay rolls up the best supported values', () => {
  const course = courseOf([leaf('a'), leaf('b')]);
  const result = replayedResult(course, supported(course, { a: done }));
  assert.deepEqual(result, { Completion: 'unknown', Success: 'unknown', Score: 40, Progress: 50 });
});
