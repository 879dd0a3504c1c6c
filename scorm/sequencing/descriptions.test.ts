import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Sequencing } from '../../standards/types.ts';
import { rule } from '../test-support/learners.ts';
import { courseOf, group, leaf, mapWith, type sequencingWith } from '../test-support/trees.ts';
import { describeActivity } from './descriptions.ts';
import { ruleText } from './rule-text.ts';

/**
 * The sentences about the second of two units. The first unit writes the objective that the second one reads as
 * `previous`.
 */
function told(parts: Parameters<typeof sequencingWith>[0]): string[] {
  const objective = (ObjectiveID: string, Primary: boolean, flag: string) => ({
    ...{
      ObjectiveID,
      Primary,
      SatisfiedByMeasure: false,
      MinNormalizedMeasure: 1,
      Maps: [mapWith('x', [flag])],
    },
  });
  const own = {
    ObjectiveID: 'own',
    Primary: true,
    SatisfiedByMeasure: false,
    MinNormalizedMeasure: 1,
    Maps: [],
  };
  const course = courseOf([
    leaf('One', { Objectives: [objective('one', true, 'WriteSatisfiedStatus')] }),
    leaf('Two', { Objectives: [own, objective('previous', false, 'ReadSatisfiedStatus')], ...parts }),
  ]);
  const two = course.byID.get('Two');
  assert.ok(two);
  return describeActivity(course, two).map((each) => ruleText('Two', each));
}
const any = (each: ReturnType<typeof rule>) => ({ ...each, ConditionCombination: 'any' as const });

describe('rules in words', () => {
  const cases: [string, Partial<Sequencing>][] = [
    [
      'Two opens after One is passed.',
      {
        Rules: [
          any(rule('pre', 'disabled', 'previous: not objectiveStatusKnown', 'previous: not satisfied')),
        ],
      },
    ],
    [
      'Two opens after it is completed or One is passed.',
      { Rules: [rule('pre', 'disabled', 'not completed', 'previous: not satisfied')] },
    ],
    [
      'Two is not available if no attempts on it are left.',
      { Rules: [rule('pre', 'disabled', 'attemptLimitExceeded')] },
    ],
    [
      'Two is skipped if One is passed and the score of it is above 50 %.',
      { Rules: [rule('pre', 'skip', 'previous: satisfied', 'objectiveMeasureGreaterThan 0.5')] },
    ],
    [
      'Nothing after Two can be opened if it is not passed.',
      { Rules: [rule('pre', 'stopForwardTraversal', 'not satisfied')] },
    ],
    ['Two is repeated at its end if it is not passed.', { Rules: [rule('post', 'retry', 'not satisfied')] }],
    ['The course ends with Two if it is passed.', { Rules: [rule('post', 'exitAll', 'satisfied')] }],
  ];
  for (const [sentence, parts] of cases) it(sentence, () => assert.deepEqual(told(parts), [sentence]));

  it('describes limits', () => {
    const Limits = { AttemptLimit: 1, AttemptAbsoluteDurationLimit: 'PT10M' };
    assert.deepEqual(told({ Limits }), [
      'Two can be attempted once.',
      'An attempt on Two may take 10 minutes.',
    ]);
  });

  it('describes how a group is played', () => {
    const Randomization = { SelectCount: 1, SelectionTiming: 'once' };
    const parts = { ControlMode: { Choice: false, Flow: true, ForwardOnly: true }, Randomization };
    const course = courseOf([group('G', [leaf('a'), leaf('b')], parts)]);
    const found = course.byID.get('G');
    assert.ok(found);
    assert.deepEqual(
      describeActivity(course, found).map((each) => ruleText('G', each)),
      [
        'The units of G open in order.',
        'Learners cannot go back within G.',
        '1 of the units of G are selected.',
      ],
    );
  });
});
