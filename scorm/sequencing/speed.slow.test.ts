import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cpuMilliseconds } from '../test-support/cpu-time.ts';
import { largeCourses, medianRequest, numbers } from '../test-support/large-courses.ts';
import type { courseOf } from '../test-support/trees.ts';
import { courseLimit } from './course-limit.ts';
import { replayedResult } from './replay.ts';
import { courseResult } from './result.ts';
import * as session from './session.ts';
import { supportedResults } from './supported-results.ts';

const done = {
  'cmi.completion_status': 'completed',
  'cmi.success_status': 'passed',
  'cmi.score.scaled': '0.9',
};

/**
 * The median CPU time for checking a commit. A check covers the claimed state and the values that the units'
 * data supports. It also replays the course if they disagree.
 */
function medianOfChecks(course: ReturnType<typeof courseOf>): number {
  const { state } = session.launch(course, session.createState(course, { seed: 1, now: 0 }), 1);
  const leaves = course.activities.filter(({ children }) => children.length === 0);
  const supported = new Map(leaves.map(({ id }) => [id, supportedResults(course, id, done)]));
  const times = numbers(50).map(() => {
    const began = cpuMilliseconds();
    courseResult(course, new Map(session.statuses(course, state)));
    courseLimit(course, supported);
    replayedResult(course, supported);
    return cpuMilliseconds() - began;
  });
  return times.sort((a, b) => a - b)[25] ?? Number.NaN;
}

describe('the check of a commit', () => {
  for (const [title, course] of Object.entries(largeCourses))
    it(`a check takes milliseconds with ${title} activities`, (context) => {
      const median = medianOfChecks(course);
      context.diagnostic(`${median.toFixed(2)} ms`);
      assert.ok(median < 25, `${median} ms`);
    });
});

describe('one request with all predictions', () => {
  for (const [title, course] of Object.entries(largeCourses))
    it(`a request takes milliseconds with ${title} activities`, (context) => {
      const median = medianRequest(course, cpuMilliseconds);
      context.diagnostic(`${median.toFixed(2)} ms`);
      // The target on an idle machine is 5 ms. The limit is higher, because other processes may use the same
      // CPU caches.
      assert.ok(median < 25, `${median} ms`);
    });
});
