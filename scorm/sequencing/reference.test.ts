import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { RunTimeData } from '../../standards/types.ts';
import { requestFrom } from '../test-support/learners.ts';
import { referenceSteps, referenceTree } from '../test-support/reference-courses.ts';
import { prepareCourse } from './course.ts';
import * as session from './session.ts';

/**
 * The answers of ADL's sample sequencer for SCORM 2004 4th edition. For each seed, they list the requests,
 * the units that were delivered, and the final success and completion of all activities. `README.md` says how
 * they were recorded.
 */
const file = new URL('../test-support/reference-answers.txt', import.meta.url);
const recorded = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('|'));

const words = {
  success: { true: 's', false: 'n', null: 'u' },
  completion: { true: 'c', false: 'i', null: 'u' },
};

function play(seed: number, requests: readonly string[]): { answers: string[]; end: string } {
  const course = prepareCourse(referenceTree(seed), 'Course');
  let state = session.createState(course, { seed: 1, now: 0 });
  const stored = new Map<string, RunTimeData>();
  const steps = referenceSteps(seed, requests.length);
  const answers = requests.map((text, index) => {
    const unitID = state.current ?? '';
    const data = { ...stored.get(unitID), ...steps[index]?.data };
    const request = requestFrom(course.byID.has(text) ? `choice ${text}` : text);
    const isOpen = new Map(state.activities).get(unitID)?.active === true;
    if (isOpen) stored.set(unitID, data);
    const { answer, delivery, ...result } = isOpen
      ? session.unitEnded(course, state, { unitID, data, request }, 0)
      : session.request(course, state, request, 0);
    state = result.state;
    if (delivery?.isResumed === false) stored.delete(delivery.unitID);
    return `${text}>${delivery?.unitID ?? (answer.kind === 'ended' ? 'ended' : '-')}`;
  });
  const statuses = session
    .statuses(course, state)
    .map(([, { satisfied, completed }]) => words.success[`${satisfied}`] + words.completion[`${completed}`]);
  return { answers, end: statuses.join(' ') };
}

describe("the answers of ADL's sample sequencer", () => {
  it(`are the same for ${recorded.length} random courses`, () => {
    for (const [seed = '', answers = '', end] of recorded) {
      const requests = answers.split(' ').map((answer) => answer.split('>')[0] ?? '');
      assert.deepEqual(play(Number(seed), requests), { answers: answers.split(' '), end }, `course ${seed}`);
    }
  });
});
