import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { acts, manyActs, requestOf, trees } from '../test-support/random-courses.ts';
import { type Course, prepareCourse } from './course.ts';
import type { NavigationRequest } from './requests.ts';
import * as session from './session.ts';
import type { SequencingState } from './state.ts';

// For a longer run: SEQUENCING_TREES=10000 SEQUENCING_REQUESTS=200 node --test
// scorm/sequencing/properties.test.ts
const { SEQUENCING_TREES = '200', SEQUENCING_REQUESTS } = process.env;
const requests = SEQUENCING_REQUESTS ? manyActs(Number(SEQUENCING_REQUESTS)) : acts;

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

/** The predicted result of a request, or null if there is no prediction. */
function predicted(course: Course, state: SequencingState, request: NavigationRequest, now: number) {
  const { requests, contents } = session.predict(course, state, now);
  if (request.kind === 'choice') return contents.find(({ id }) => id === request.target)?.allowed;
  if (request.kind === 'jump') return contents.find(({ id }) => id === request.target)?.jump;
  return requests[request.kind].refusal ? null : requests[request.kind].allowed;
}

function check(course: Course, state: SequencingState): void {
  const tracks = new Map(state.activities);
  const active = course.activities.filter(({ id }) => tracks.get(id)?.active);
  const leaves = active.filter(({ children }) => children.length === 0);
  assert.ok(leaves.length <= 1, 'at most one activity is open');
  const [open] = leaves;
  if (open) assert.equal(state.current, open.id);
  for (const { parent } of leaves)
    for (let up = parent; up; up = up.parent) assert.ok(active.includes(up), 'ancestors are active');
  if (state.current === null) assert.deepEqual(active, [], 'nothing is active without a session');
  assert.deepEqual(JSON.parse(JSON.stringify(state)), state, 'plain JSON');
}

describe('any tree and any requests', () => {
  it('requests preserve the invariants, change no state in place, and have the predicted results', () => {
    fc.assert(
      fc.property(trees, requests, fc.nat(), (tree, list, seed) => {
        const course = prepareCourse(tree, 'Course');
        let state = frozen(session.createState(course, { seed, now: 0 }));
        let now = 0;
        for (const act of [{ request: { kind: 'start', target: 0 }, ends: false, data: {} }, ...list]) {
          now += 1_000;
          const unitID = state.current ?? '';
          if (act.ends)
            state = frozen(session.unitEnded(course, state, { unitID, data: act.data }, now).state);
          check(course, state);
          const request = requestOf(course, act.request);
          const expected = predicted(course, state, request, now);
          const result = frozen(session.request(course, state, request, now));
          const { kind } = result.answer;
          if (
            expected !== null &&
            expected !== undefined &&
            /^(continue|previous|choice|jump|start|resumeAll)$/.test(request.kind)
          )
            assert.equal(
              kind === 'delivered' || kind === 'ended',
              expected,
              JSON.stringify([request, result.answer]),
            );
          assert.deepEqual(session.request(course, JSON.parse(JSON.stringify(state)), request, now), result);
          state = result.state;
          check(course, state);
        }
      }),
      { numRuns: Number(SEQUENCING_TREES) },
    );
  });
});
