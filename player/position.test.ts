import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prepareCourse } from '../scorm/sequencing/course.ts';
import { courseResult } from '../scorm/sequencing/result.ts';
import { createState, launch, predict, statuses, unitEnded } from '../scorm/sequencing/session.ts';
import { rule } from '../scorm/test-support/learners.ts';
import { leaf, treeOf } from '../scorm/test-support/trees.ts';
import { messages } from './messages.ts';
import { endingsOf, positionIn } from './position.ts';
import { beginSequenced, reduceSequenced } from './sequenced-state.ts';

const noShared = { globals: [], buckets: [] };
const locked = { Rules: [rule('pre', 'disabled', 'always')] };
const tree = treeOf([
  leaf('a'),
  leaf('b', locked),
  leaf('c', { Rules: [rule('pre', 'hiddenFromChoice', 'always')] }),
]);

test('forbidden units are not offered, and the reason is given', () => {
  const begun = beginSequenced(
    { Mode: 'normal', Tree: tree, Data: {}, TreeState: null, Shared: noShared, CourseTitle: 'Course' },
    { seed: 1, now: 0 },
  );
  const { state } = reduceSequenced(begun, { kind: 'started', now: 1 });
  const { course, sequencing } = state;
  const predicted = {
    prediction: predict(course, sequencing, 1),
    statuses: new Map(statuses(course, sequencing)),
  };
  const position = positionIn(state, predicted, {});
  assert.equal(position.previous?.why, messages.reasons.firstActivity);
  assert.deepEqual(position.choice('b'), { may: false, why: messages.reasons.disabled });
  assert.deepEqual([position.shows('b'), position.shows('c')], [true, false]);
  assert.deepEqual(position.choice('nowhere'), { may: false, why: null });
});

test('Exit suspends the attempt, or ends it if the manifest hides only suspendAll', () => {
  assert.deepEqual(endingsOf([]), { exitEnds: false, mayEnd: true });
  assert.deepEqual(endingsOf(['suspendAll']), { exitEnds: true, mayEnd: false });
  assert.deepEqual(endingsOf(['exitAll']), { exitEnds: false, mayEnd: false });
  assert.deepEqual(endingsOf(['exitAll', 'suspendAll']), { exitEnds: false, mayEnd: false });
});

function rolledUp(weights: number[], scores: (string | null)[]) {
  const units = weights.map((ObjectiveMeasureWeight, n) =>
    leaf(`u${n}`, { RollupRules: { ObjectiveMeasureWeight } }),
  );
  const course = prepareCourse(treeOf(units), 'Course');
  let { state } = launch(course, createState(course, { seed: 1, now: 0 }), 1);
  for (const [n, score] of scores.entries()) {
    const data = score === null ? {} : { 'cmi.score.scaled': score };
    const end = { unitID: `u${n}`, data, request: { kind: 'continue' } as const };
    ({ state } = unitEnded(course, state, end, 2));
  }
  return courseResult(course, new Map(statuses(course, state)));
}

test("Scores use the manifest's weights, including those of unfinished units", () => {
  assert.equal(rolledUp([1, 1], ['1']).Score, 50);
  assert.equal(rolledUp([3, 1], ['1', '0']).Score, 75);
});

test('A measure with no weight does not count as a score', () => {
  assert.equal(rolledUp([0, 1], ['1']).Score, null);
  assert.equal(rolledUp([0, 0], ['1', '0.5']).Score, null);
});

test('Without measures, progress is the proportion of completed units', () => {
  assert.deepEqual(rolledUp([1, 1, 1, 1], [null]), {
    ...{ Completion: 'unknown', Success: 'unknown', Score: null, Progress: 25 },
  });
});
