import { difference } from '../../test/conformance/scorm2004/compare.ts';
import type { Call } from '../../test/conformance/scorm2004/scripts.ts';
import { call } from '../data-model/api.ts';
import { begin, navigationRequest, type State, sharedData, snapshot } from '../data-model/session.ts';
import type { Bucket, RunTimeData } from '../data-model/types.ts';
import type { Prediction } from '../sequencing/prediction.ts';

const learnerID = 'learner';

/**
 * Content that makes the calls in a script. The clock is stopped, so only times that the content reports are
 * counted.
 */
export function createContent(data: RunTimeData, buckets: Bucket[], predict: () => Prediction) {
  const given = { 'cmi.learner_id': learnerID, 'cmi.learner_name': 'Learner', ...data };
  let { state }: { state: State } = begin({ edition: 'scorm2004-4th', data: given, buckets });

  function mayNavigate(request: string, target: string | null): 'true' | 'false' | 'unknown' {
    const { requests, contents } = predict();
    if (target === null) {
      const plain = Object.entries(requests).find(([kind]) => kind === request)?.[1];
      return plain ? (`${plain.allowed}` as const) : 'unknown';
    }
    const entry = contents.find(({ id }) => id === target);
    return `${(request === 'jump' ? entry?.jump : entry?.allowed) ?? false}` as const;
  }

  function perform(fn: string, args: string[]): { returned: string; error: string } {
    const answer = call(state, { fn, args }, { now: 0, mayNavigate });
    state = answer.state;
    return { returned: answer.returned, error: String(answer.error) };
  }

  const objectives = () =>
    Object.entries(snapshot(state, 0)).flatMap(([element, id]) =>
      /^cmi\.objectives\.\d+\.id$/.test(element) ? id : [],
    );

  /** In `cmi.objectives.&ID&.x`, `&ID&` is replaced by the index of the objective with this identifier. */
  function resolved(element: string): string {
    const replaced = (pattern: RegExp, ids: () => string[]) => (text: string) =>
      text.replace(pattern, (_, prefix: string, id: string) => prefix + ids().indexOf(id));
    const ofObjective = replaced(/^(cmi\.objectives\.)&(.*)&/, objectives);
    return replaced(/^(adl\.data\.)&(.*)&/, () => buckets.map(({ id }) => id))(ofObjective(element));
  }

  /** Makes one call. Describes how the result differs from the expected one, or returns null if it does not. */
  function play(step: Call): string | null {
    const { fn, args = [] } = step;
    if (fn === 'compareObjectives')
      return difference(step, { returned: objectives().join(' '), error: '0' }, learnerID);
    const [element = '', ...values] = args;
    const result = perform(fn, fn.endsWith('Value') ? [resolved(element), ...values] : args);
    return difference(step, result, learnerID);
  }

  return {
    play,
    end: () => ({
      data: snapshot(state, 0),
      contentRequest: navigationRequest(state),
      buckets: sharedData(state),
    }),
  };
}
