import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Objective, Sequencing } from '../../standards/types.ts';
import { rule } from '../test-support/learners.ts';
import { courseOf, group, leaf, mapWith, type sequencingWith } from '../test-support/trees.ts';
import { defaultSequencing } from './course.ts';
import { describeActivity } from './descriptions.ts';
import { ruleText } from './rule-text.ts';

/**
 * The sentences about the second of three units. Its objective `previous` reads the values that the first unit
 * writes. Its other objectives have other kinds of sources.
 */
function sentencesOf(parts: Parameters<typeof sequencingWith>[0]): string[] {
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
  const mapped = (ObjectiveID: string, map: Objective['Maps'][number]) => ({
    ...{ ...own, ObjectiveID, Primary: false, Maps: [map] },
  });
  const course = courseOf([
    leaf('One', {
      Objectives: [
        objective('one', true, 'WriteSatisfiedStatus'),
        mapped('also', mapWith('z', ['WriteSatisfiedStatus'])),
      ],
    }),
    leaf('Two', {
      Objectives: [
        own,
        objective('previous', false, 'ReadSatisfiedStatus'),
        { ...own, ObjectiveID: 'lone', Primary: false },
        mapped('circle', mapWith('y', ['ReadSatisfiedStatus', 'WriteSatisfiedStatus'])),
        mapped('shared', mapWith('elsewhere', ['ReadSatisfiedStatus'])),
        mapped('several', mapWith('z', ['ReadSatisfiedStatus'])),
        mapped('unread', mapWith('x', ['ReadRawScore'])),
      ],
      ...parts,
    }),
    leaf('Three', { Objectives: [mapped('three', mapWith('z', ['WriteSatisfiedStatus']))] }),
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
      'Two is skipped if One is passed and its score is above 50 %.',
      { Rules: [rule('pre', 'skip', 'previous: satisfied', 'objectiveMeasureGreaterThan 0.5')] },
    ],
    [
      'Nothing after Two can be opened if it is not passed.',
      { Rules: [rule('pre', 'stopForwardTraversal', 'not satisfied')] },
    ],
    ['Two is repeated if it is not passed.', { Rules: [rule('post', 'retry', 'not satisfied')] }],
    ['The course ends after Two if it is passed.', { Rules: [rule('post', 'exitAll', 'satisfied')] }],
  ];
  for (const [sentence, parts] of cases) it(sentence, () => assert.deepEqual(sentencesOf(parts), [sentence]));

  /** Each condition in words, without and with `not`. */
  const phrases: [condition: string, sentence: string, negated: string][] = [
    ['satisfied', 'it is passed', 'it is not passed'],
    ['completed', 'it is completed', 'it is not completed'],
    ['attempted', 'it was opened', 'it was not opened'],
    ['objectiveMeasureGreaterThan 0.125', 'its score is above 12.5 %', 'its score is not above 12.5 %'],
    ['objectiveMeasureLessThan -0.5', 'its score is below -50 %', 'its score is not below -50 %'],
    ['objectiveMeasureLessThan', 'its score is below 0 %', 'its score is not below 0 %'],
    ['objectiveStatusKnown', 'it is passed or failed', 'it is neither passed nor failed'],
    ['objectiveMeasureKnown', 'it has a score', 'it has no score'],
    ['activityProgressKnown', 'it has a completion status', 'it has no completion status'],
    ['attemptLimitExceeded', 'no attempts on it are left', 'attempts on it are left'],
    ['timeLimitExceeded', 'the time for it is used up', 'the time for it is not used up'],
    ['always', 'at any time', 'never'],
    ['never', 'never', 'at any time'],
    ['outsideAvailableTimeRange', 'never', 'at any time'],
  ];
  for (const [condition, sentence, negated] of phrases)
    it(`${condition}: ${sentence}`, () => {
      assert.deepEqual(sentencesOf({ Rules: [rule('pre', 'skip', condition)] }), [
        `Two is skipped if ${sentence}.`,
      ]);
      const not = { Rules: [rule('pre', 'skip', `not ${condition}`)] };
      assert.deepEqual(sentencesOf(not), [`Two is skipped if ${negated}.`]);
    });

  const actions: [when: 'pre' | 'post' | 'exit', action: string, sentence: string][] = [
    ['pre', 'disabled', 'Two is not available if it is passed.'],
    ['pre', 'skip', 'Two is skipped if it is passed.'],
    ['pre', 'hiddenFromChoice', 'Two is hidden from the contents if it is passed.'],
    ['pre', 'stopForwardTraversal', 'Nothing after Two can be opened if it is passed.'],
    ['exit', 'exit', 'Two ends if it is passed.'],
    ['post', 'retry', 'Two is repeated if it is passed.'],
    ['post', 'retryAll', 'The course starts again after Two if it is passed.'],
    ['post', 'exitAll', 'The course ends after Two if it is passed.'],
    ['post', 'exitParent', 'The group ends after Two if it is passed.'],
    ['post', 'continue', 'Two leads to the next unit if it is passed.'],
    ['post', 'previous', 'Two leads back to the previous unit if it is passed.'],
    ['pre', 'unheardOf', 'Two is not available if it is passed.'],
  ];
  for (const [when, action, sentence] of actions)
    it(action, () => assert.deepEqual(sentencesOf({ Rules: [rule(when, action, 'satisfied')] }), [sentence]));

  /** A unit that is disabled until a condition is met is described as opening after it. */
  const openings: [Partial<Sequencing>['Rules'], string][] = [
    [[rule('pre', 'disabled', 'not completed')], 'Two opens after it is completed.'],
    [
      [any(rule('pre', 'disabled', 'not completed', 'previous: not satisfied'))],
      'Two opens after it is completed and One is passed.',
    ],
    [
      [rule('pre', 'disabled', 'not completed', 'previous: satisfied')],
      'Two is not available if it is not completed and One is passed.',
    ],
    [
      [any(rule('pre', 'disabled', 'not completed', 'previous: satisfied'))],
      'Two is not available if it is not completed or One is passed.',
    ],
    [[rule('pre', 'skip', 'not completed')], 'Two is skipped if it is not completed.'],
  ];
  for (const [Rules = [], sentence] of openings)
    it(sentence, () => assert.deepEqual(sentencesOf({ Rules }), [sentence]));

  /** The check that a status is known is redundant if another condition checks the status itself. */
  const repetitions: [conditions: string[], sentence: string][] = [
    [['objectiveStatusKnown', 'satisfied'], 'it is passed'],
    [['activityProgressKnown', 'completed'], 'it is completed'],
    [['objectiveMeasureKnown', 'objectiveMeasureGreaterThan 0.5'], 'its score is above 50 %'],
    [['objectiveMeasureKnown', 'objectiveMeasureLessThan 0.5'], 'its score is below 50 %'],
    [['objectiveStatusKnown', 'completed'], 'it is passed or failed and it is completed'],
    [['objectiveStatusKnown', 'not satisfied'], 'it is passed or failed and it is not passed'],
    [['previous: objectiveStatusKnown', 'satisfied'], 'One is passed or failed and it is passed'],
    [
      ['lone: objectiveStatusKnown', 'satisfied'],
      'the objective “lone” is passed or failed and it is passed',
    ],
    [['satisfied', 'completed'], 'it is passed and it is completed'],
  ];
  for (const [conditions, sentence] of repetitions)
    it(`${conditions.join(', ')}: ${sentence}`, () =>
      assert.deepEqual(sentencesOf({ Rules: [rule('pre', 'skip', ...conditions)] }), [
        `Two is skipped if ${sentence}.`,
      ]));

  /** The sentence says which unit a condition's value comes from. */
  const sources: [reference: string, sentence: string][] = [
    ['own', 'it is passed'],
    ['missing', 'it is passed'],
    ['lone', 'the objective “lone” is passed'],
    ['previous', 'One is passed'],
    ['circle', 'it is passed'],
    ['shared', 'the objective “elsewhere” is passed'],
    ['several', 'One or Three is passed'],
    ['unread', 'the objective “unread” is passed'],
  ];
  for (const [reference, sentence] of sources)
    it(`${reference}: ${sentence}`, () =>
      assert.deepEqual(sentencesOf({ Rules: [rule('pre', 'skip', `${reference}: satisfied`)] }), [
        `Two is skipped if ${sentence}.`,
      ]));

  it('two units are connected by any status or measure that a map passes on', () => {
    for (const fact of ['SatisfiedStatus', 'NormalizedMeasure', 'CompletionStatus', 'ProgressMeasure']) {
      const objectives = (flag: string) => [
        {
          ...{ ObjectiveID: 'o', Primary: true, SatisfiedByMeasure: false, MinNormalizedMeasure: 1 },
          Maps: [mapWith('x', [flag])],
        },
      ];
      const Rules = [rule('pre', 'skip', 'o: satisfied')];
      const course = courseOf([
        leaf('One', { Objectives: objectives(`Write${fact}`) }),
        leaf('Two', { Objectives: objectives(`Read${fact}`), Rules }),
        leaf('Three', { Objectives: objectives('WriteRawScore') }),
      ]);
      const [first] = describeActivity(course, course.byID.get('Two') ?? assert.fail('no unit'));
      assert.deepEqual(first?.Conditions[0]?.Units, ['One'], fact);
    }
  });

  it('describes thresholds', () => {
    const Objectives = [
      {
        ...{ ObjectiveID: 'own', Primary: true, SatisfiedByMeasure: true, MinNormalizedMeasure: 0.755 },
        Maps: [],
      },
    ];
    assert.deepEqual(sentencesOf({ Objectives }), ['Two is passed with a score of 75.5 % or more.']);
    const CompletionThreshold = { CompletedByMeasure: true, MinProgressMeasure: 0.4, ProgressWeight: 1 };
    const course = courseOf([leaf('Two', {}, { CompletionThreshold })]);
    const found = describeActivity(course, course.byID.get('Two') ?? assert.fail('no unit'));
    assert.deepEqual(
      found.map((each) => ruleText('Two', each)),
      ['Two is completed with 40 % progress or more.'],
    );
  });

  it('describes limits', () => {
    const Limits = { AttemptLimit: 1, AttemptAbsoluteDurationLimit: 'PT10M' };
    assert.deepEqual(sentencesOf({ Limits }), [
      'Two can be attempted once.',
      'An attempt on Two can take up to 10 minutes.',
    ]);
    const others = { AttemptLimit: 3, AttemptAbsoluteDurationLimit: 'PT1M30S' };
    assert.deepEqual(sentencesOf({ Limits: others }), [
      'Two can be attempted 3 times.',
      'An attempt on Two can take up to 90 seconds.',
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
        'One of the units of G is selected.',
      ],
    );
  });

  const selections: [title: string, Partial<Sequencing['Randomization']>, sentences: string[]][] = [
    ['all children', { SelectCount: 2, SelectionTiming: 'once' }, []],
    ['never', { SelectCount: 1 }, []],
    ['no number', { SelectionTiming: 'once' }, []],
    [
      'each time',
      { SelectCount: 1, SelectionTiming: 'onEachNewAttempt' },
      ['One of the units of G is selected.'],
    ],
    [
      'order',
      { ReorderChildren: true, RandomizationTiming: 'once' },
      ['The units of G are in random order.'],
    ],
    ['an order, but no timing', { ReorderChildren: true }, []],
    ['a timing, but no order', { RandomizationTiming: 'once' }, []],
  ];
  for (const [title, Randomization, sentences] of selections)
    it(`describes selection and randomization: ${title}`, () => {
      const course = courseOf([
        group('G', [leaf('a'), leaf('b')], { Randomization }),
        leaf('L', { Randomization }),
      ]);
      const described = (id: string) =>
        describeActivity(course, course.byID.get(id) ?? assert.fail(id)).map((each) => ruleText(id, each));
      assert.deepEqual(described('G'), sentences);
      assert.deepEqual(described('L'), []);
    });

  it('control modes of a unit without children have no effect on learners', () =>
    assert.deepEqual(
      sentencesOf({ ControlMode: { ...defaultSequencing.ControlMode, Choice: false, ForwardOnly: true } }),
      [],
    ));
});
