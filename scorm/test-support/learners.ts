import type { RollupRule, RunTimeData, SequencingRule } from '../../standards/types.ts';
import type { Course } from '../sequencing/course.ts';
import { type Draft, openDraft } from '../sequencing/draft.ts';
import type { NavigationRequest } from '../sequencing/requests.ts';
import * as session from '../sequencing/session.ts';
import type { SequencingState } from '../sequencing/state.ts';

/** For example `satisfied`, `not completed`, `obj1: satisfied` or `objectiveMeasureGreaterThan 0.5`. */
export function conditionFrom(text: string): SequencingRule['Conditions'][number] {
  const [, objective, negation, Condition = '', threshold] =
    /^(?:(\w+): )?(not )?(\w+)(?: (-?[\d.]+))?$/.exec(text) ?? [];
  return {
    Condition,
    Operator: negation ? 'not' : 'noOp',
    ReferencedObjective: objective ?? null,
    MeasureThreshold: threshold === undefined ? null : Number(threshold),
  };
}

/** For example `rule('pre', 'skip', 'satisfied')`. If there are several conditions, all must be met. */
export function rule(When: SequencingRule['When'], Action: string, ...conditions: string[]): SequencingRule {
  return { When, Action, ConditionCombination: 'all', Conditions: conditions.map(conditionFrom) };
}

export function rollupRule(
  Action: string,
  ChildActivitySet: string,
  condition: string,
  more: Partial<RollupRule> = {},
): RollupRule {
  const limits = { MinimumCount: 0, MinimumPercent: 0, ConditionCombination: 'any' as const };
  return { Action, ChildActivitySet, ...limits, Conditions: [conditionFrom(condition)], ...more };
}

/** For example `continue`, `choice u1` or `jump u1`. */
export function requestFrom(text: string): NavigationRequest {
  const [kind = '', target = ''] = text.split(' ');
  return { kind, target } as NavigationRequest;
}

export type Learner = {
  state: SequencingState;
  /**
   * Makes a request. Returns the unit that it delivers, or a result such as `ended`, `nothing` or `NB.2.1-4`.
   */
  ask: (text: string) => string;
  /**
   * Ends the open unit with this data. The optional request comes from the content or, with the prefix
   * `learner: `, from the learner.
   */
  finish: (data?: RunTimeData, request?: string) => string;
  predict: () => ReturnType<typeof session.predict>;
  /** The working copy of the state, for inspection. */
  draft: () => Draft;
};

/** A learner in a course. The clock advances by one second with each request. */
export function learnerOf(
  course: Course,
  { seed = 1, ...shared }: Partial<{ seed: number }> & session.Shared = {},
): Learner {
  let now = 0;
  const taken = ({ state, answer, delivery }: session.Result): string => {
    learner.state = state;
    if (answer.kind === 'refused') return answer.refusal.code;
    return delivery ? delivery.unitID + (delivery.isResumed ? ' resumed' : '') : answer.kind;
  };
  const later = () => {
    now += 1_000;
    return now;
  };
  const learner: Learner = {
    state: session.createState(course, { seed, now, ...shared }),
    ask: (text) =>
      taken(
        text === 'launch'
          ? session.launch(course, learner.state, later())
          : session.request(course, learner.state, requestFrom(text), later()),
      ),
    finish: (data = {}, request) => {
      const end: session.UnitEnd = { unitID: learner.state.current ?? '', data };
      if (request?.startsWith('learner: ')) end.request = requestFrom(request.slice('learner: '.length));
      else if (request !== undefined) end.contentRequest = request;
      return taken(session.unitEnded(course, learner.state, end, later()));
    },
    predict: () => session.predict(course, learner.state, now),
    draft: () => openDraft(course, learner.state, now),
  };
  return learner;
}

/** Makes requests one after another, and returns the last answer. */
export function askAll(learner: Learner, texts: readonly string[]): string {
  let answer = '';
  for (const text of texts) answer = learner.ask(text);
  return answer;
}
