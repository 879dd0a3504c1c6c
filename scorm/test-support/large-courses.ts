import type { Objective } from '../../standards/types.ts';
import * as session from '../sequencing/session.ts';
import { rule } from './learners.ts';
import { courseOf, group, leaf, mapWith } from './trees.ts';

export const numbers = (count: number) => [...Array(count).keys()];
const objective = (ObjectiveID: string, Primary: boolean, map: Objective['Maps'][number]) => ({
  ...{ ObjectiveID, Primary, SatisfiedByMeasure: false, MinNormalizedMeasure: 1, Maps: [map] },
});
/** Courses with about 1,000 activities each. The keys describe their structure. */
export const largeCourses = {
  'a list of 1,000': courseOf(numbers(1_000).map((n) => leaf(`u${n}`))),
  'a list of 1,000 potential stops of a choice': courseOf(
    numbers(1_000).map((n) =>
      leaf(`u${n}`, { Rules: [rule('pre', 'stopForwardTraversal', 'not satisfied')] }),
    ),
  ),
  'a chain of 1,000, each opened by the one before,': courseOf(
    numbers(1_000).map((n) =>
      leaf(`u${n}`, {
        Rules: [rule('pre', 'disabled', 'before: not satisfied')],
        Objectives: [
          objective('own', true, mapWith(`g${n}`, ['WriteSatisfiedStatus'])),
          objective('before', false, mapWith(`g${Math.max(0, n - 1)}`, ['ReadSatisfiedStatus'])),
        ],
      }),
    ),
  ),
  'three levels of 10': courseOf(
    numbers(10).map((a) =>
      group(
        `a${a}`,
        numbers(10).map((b) =>
          group(
            `a${a}b${b}`,
            numbers(9).map((c) => leaf(`a${a}b${b}c${c}`, { Rules: [rule('pre', 'skip', 'satisfied')] })),
          ),
        ),
      ),
    ),
  ),
};

/**
 * The median time for ending a unit, delivering the next one, and computing what the page then shows. The
 * result is in the units of the clock.
 */
export function medianRequest(course: ReturnType<typeof courseOf>, clock: () => number): number {
  let { state } = session.launch(course, session.createState(course, { seed: 1, now: 0 }), 1);
  const times = numbers(100).map((now) => {
    const data = {
      'cmi.completion_status': 'completed',
      'cmi.success_status': now % 3 ? 'passed' : 'failed',
    };
    const began = clock();
    const end = { unitID: state.current ?? '', data, request: { kind: 'continue' } as const };
    ({ state } = session.unitEnded(course, state, end, now));
    session.predict(course, state, now);
    return clock() - began;
  });
  return times.sort((a, b) => a - b)[50] ?? Number.NaN;
}
