import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunTimeData, Unit } from '../../standards/types.ts';
import { askAll, learnerOf, rollupRule, rule } from '../test-support/learners.ts';
import { courseOf, group, leaf } from '../test-support/trees.ts';
import { request } from './session.ts';

const stops = { Rules: [rule('pre', 'stopForwardTraversal', 'always')] };
const hidden = { Rules: [rule('pre', 'hiddenFromChoice', 'always')] };
const skipped = { Rules: [rule('pre', 'skip', 'always')] };
const flow = { Flow: true };
const late = { ControlMode: flow, ConstrainedChoice: { PreventActivation: true } };
const locked = { ControlMode: { Flow: true, ChoiceExit: false } };
const passed = { 'cmi.success_status': 'passed' };
const near = { ControlMode: flow, ConstrainedChoice: { ConstrainChoice: true } };

const four = (more: Partial<Unit>[] = []) =>
  ['g', 'h', 'i', 'j'].map((id, index) =>
    group(id, [leaf(`${id}1`), leaf(`${id}2`)], { ControlMode: flow }, more[index]),
  );

/** SB.2.9 (SN §4.7.5) and its subprocesses: the units, the earlier choices, the choice, and its outcome. */
const cases: [title: string, units: Unit[], requests: string[], outcome: string][] = [
  ['delivers a leaf', four(), ['choice h2'], 'h2'],
  ['flows into a group', four(), ['choice h'], 'h1'],
  ['flows into the whole course', four(), ['choice h2', 'choice root'], 'g1'],
  ['delivers the current activity again', four(), ['choice h2', 'choice h2'], 'h2'],
  ['goes to a sibling', four(), ['choice h1', 'choice h2'], 'h2'],
  ['goes back to a sibling', four(), ['choice h2', 'choice h1'], 'h1'],
  ['rejects a hidden activity (SB.2.9-3)', [leaf('a'), leaf('b', hidden)], ['start', 'choice b'], 'SB.2.9-3'],
  [
    'rejects an activity in a hidden group (SB.2.9-3)',
    [leaf('a'), group('g', [leaf('b')], hidden)],
    ['start', 'choice b'],
    'SB.2.9-3',
  ],
  [
    'does not go back in a forward-only group (SB.2.4-2)',
    [group('g', [leaf('a'), leaf('b')], { ControlMode: { Flow: true, ForwardOnly: true } })],
    ['choice b', 'choice a'],
    'SB.2.4-2',
  ],
  [
    'does not pass an activity with stopForwardTraversal (SB.2.4-1)',
    [leaf('a'), leaf('b', stops), leaf('c')],
    ['start', 'choice c'],
    'SB.2.4-1',
  ],
  [
    'does not leave an activity with stopForwardTraversal forwards (SB.2.4-1)',
    [leaf('a', stops), leaf('b')],
    ['start', 'choice b'],
    'SB.2.4-1',
  ],
  [
    'reaches an activity with stopForwardTraversal itself',
    [leaf('a'), leaf('b', stops)],
    ['start', 'choice b'],
    'b',
  ],
  [
    'leaves an activity with stopForwardTraversal backwards',
    [leaf('a'), leaf('b', stops)],
    ['choice a', 'choice b', 'choice a'],
    'a',
  ],
  [
    'does not enter a group with stopForwardTraversal forwards (SB.2.4-1)',
    [leaf('a'), group('g', [leaf('b')], { ...stops, ControlMode: flow })],
    ['start', 'choice b'],
    'SB.2.4-1',
  ],
  [
    'enters a group with stopForwardTraversal backwards',
    [group('g', [leaf('b')], { ...stops, ControlMode: flow }), group('h', [leaf('c')])],
    ['choice h', 'choice b'],
    'b',
  ],
  [
    'does not activate a group with preventActivation (SB.2.9-6)',
    [leaf('a'), group('g', [leaf('b')], late)],
    ['start', 'choice b'],
    'SB.2.9-6',
  ],
  [
    'does not activate a group with preventActivation backwards (SB.2.9-6)',
    [group('g', [leaf('b')], late), group('h', [leaf('c')])],
    ['choice c', 'choice b'],
    'SB.2.9-6',
  ],
  [
    'chooses a group with preventActivation itself',
    [leaf('a'), group('g', [leaf('b')], late)],
    ['start', 'choice g'],
    'b',
  ],
  [
    'moves within an active group with preventActivation',
    [group('g', [leaf('a'), leaf('b')], late)],
    ['start', 'choice b'],
    'b',
  ],
  [
    'stays near a constrained group (SB.2.9-8)',
    [...four(), group('k', [leaf('k1')], near)],
    ['choice k1', 'choice g1'],
    'SB.2.9-8',
  ],
  [
    'reaches the neighbour before a constrained group',
    [...four(), group('k', [leaf('k1')], near)],
    ['choice k1', 'choice j1'],
    'j1',
  ],
  [
    'reaches the neighbour after a constrained group',
    [group('k', [leaf('k1')], near), ...four()],
    ['choice k1', 'choice g2'],
    'g2',
  ],
  [
    'does not go beyond the neighbour of a constrained group (SB.2.9-8)',
    [group('k', [leaf('k1')], near), ...four()],
    ['choice k1', 'choice h'],
    'SB.2.9-8',
  ],
  [
    'reaches a constrained group itself, even from a group inside it',
    [leaf('z'), group('k', [group('l', [leaf('k1')]), group('m', [leaf('k2')])], near)],
    ['choice k2', 'choice k'],
    'k1',
  ],
  [
    'leaves a constrained group for the group around it',
    [group('f', [leaf('a'), group('k', [leaf('k1')], near)]), leaf('b')],
    ['choice k1', 'choice f'],
    'a',
  ],
  [
    'a constrained group at the beginning has no neighbour before it (SB.2.9-8)',
    [
      group('f', [group('k', [leaf('k1')], near), leaf('a')]),
      group('g', [group('h', [leaf('b')]), leaf('c')]),
    ],
    ['choice k1', 'choice c'],
    'SB.2.9-8',
  ],
  [
    'reaches a constrained group itself',
    [group('k', [leaf('k1'), leaf('k2')], near)],
    ['choice k2', 'choice k'],
    'k1',
  ],
  [
    'does not leave a group with choiceExit=false (NB.2.1-8)',
    [group('g', [leaf('a'), leaf('b')], locked), leaf('c')],
    ['choice a', 'choice c'],
    'NB.2.1-8',
  ],
  [
    'does not leave a group with choiceExit=false for its ancestor (NB.2.1-8)',
    [group('f', [group('g', [leaf('a')], locked), leaf('b')])],
    ['choice a', 'choice f'],
    'NB.2.1-8',
  ],
  [
    'moves within a group with choiceExit=false',
    [group('g', [leaf('a'), leaf('b')], locked)],
    ['choice a', 'choice b'],
    'b',
  ],
  [
    'chooses a group with choiceExit=false from within the group',
    [group('g', [leaf('a'), leaf('b')], locked)],
    ['choice b', 'choice g'],
    'a',
  ],
  [
    'does not leave a leaf with choiceExit=false (NB.2.1-8)',
    [leaf('a', { ControlMode: { ChoiceExit: false } }), leaf('b')],
    ['choice a', 'choice b'],
    'NB.2.1-8',
  ],
  [
    'leaves a leaf with choiceExit=false for a sibling once its attempt has ended',
    [leaf('a', { ControlMode: { ChoiceExit: false } }), leaf('b')],
    ['choice a', 'exit', 'choice b'],
    'b',
  ],
  [
    'does not leave a leaf with choiceExit=false for another group, even after its attempt (SB.2.9-7)',
    [leaf('a', { ControlMode: { ChoiceExit: false } }), group('g', [leaf('b')])],
    ['choice a', 'exit', 'choice b'],
    'SB.2.9-7',
  ],
  [
    'does not leave a leaf with choiceExit=false for its ancestor, even after its attempt (SB.2.9-7)',
    [group('g', [leaf('a', { ControlMode: { ChoiceExit: false } })])],
    ['choice a', 'exit', 'choice g'],
    'SB.2.9-7',
  ],
  [
    'does not pass two neighbours backwards (SB.2.9-8)',
    [...four(), group('k', [leaf('k1')], near)],
    ['choice k1', 'choice i'],
    'SB.2.9-8',
  ],
  [
    'is not constrained by an outer group that the choice does not leave',
    [group('k', [group('l', [leaf('l1')]), group('m', [leaf('m1')]), group('n', [leaf('n1')])], near)],
    ['choice l1', 'choice n1'],
    'n1',
  ],
  [
    'obeys the innermost constrained group (SB.2.9-8)',
    [group('k', [group('l', [leaf('l1')], near), leaf('m')], near), group('n', [leaf('n1')])],
    ['choice l1', 'choice n1'],
    'SB.2.9-8',
  ],
  [
    'a constrained group at the end has no neighbour after it (SB.2.9-8)',
    [
      group('f', [leaf('a'), group('k', [leaf('k1')], near)]),
      group('g', [leaf('b')]),
      group('h', [leaf('c')]),
    ],
    ['choice k1', 'choice c'],
    'SB.2.9-8',
  ],
  [
    'a constrained group at the end of its parent has the same neighbour after it as the parent',
    [group('f', [leaf('a'), group('k', [leaf('k1')], near)]), group('g', [leaf('b')])],
    ['choice k1', 'choice b'],
    'b',
  ],
  [
    'rejects a group without flow (SB.2.2-1)',
    [leaf('a'), group('g', [leaf('b')], {})],
    ['start', 'choice g'],
    'SB.2.2-1',
  ],
  [
    'rejects a group whose activities are all skipped (SB.2.9-9)',
    [leaf('a'), group('g', [leaf('b', skipped)])],
    ['start', 'choice g'],
    'SB.2.9-9',
  ],
  [
    'rejects a disabled activity on delivery (DB.1.1-3)',
    [leaf('a'), leaf('b', { Rules: [rule('pre', 'disabled', 'always')] })],
    ['start', 'choice b'],
    'DB.1.1-3',
  ],
];

describe('SB.2.9 Choice Sequencing Request Process', () => {
  for (const [title, units, requests, outcome] of cases)
    it(title, () => assert.equal(askAll(learnerOf(courseOf(units)), requests), outcome));

  /**
   * OP.1: the attempt ends first (TB.2.3), and the rules for the choice then apply to its results. ADL's sample
   * applies the rules before the attempt ends.
   */
  const later: [title: string, condition: string, data: RunTimeData, outcome: string][] = [
    ['opens an activity that the results of the attempt make visible', 'not satisfied', passed, 'b'],
    ['does not open an activity that the results of the attempt hide', 'satisfied', passed, 'SB.2.9-3'],
    ['opens an activity that no result has hidden yet', 'satisfied', {}, 'b'],
  ];
  for (const [title, condition, data, outcome] of later)
    it(title, () => {
      const RollupRules = { Rules: [rollupRule('satisfied', 'any', 'satisfied')] };
      const Rules = [rule('pre', 'hiddenFromChoice', condition)];
      const units = [leaf('a', { Delivery: { ObjectiveSetByContent: true } }), leaf('b')];
      const learner = learnerOf(courseOf([group('g', units, { ControlMode: flow, Rules, RollupRules })]));
      assert.equal(learner.ask('start'), 'a');
      assert.equal(learner.finish(data, 'learner: choice b'), outcome);
    });

  /**
   * SB.2.9, steps 11.8 and 11.9: on the way down, a rule can stop only a forward choice. ADL's sample also
   * stops backward choices.
   */
  const stopping = { ...stops, ControlMode: flow };
  const ways: [title: string, units: Unit[], first: string, target: string, outcome: string][] = [
    [
      'backwards, no rule on the way down stops the choice',
      [group('f', [group('g', [leaf('a')], stopping)], stopping), group('h', [leaf('b')])],
      'b',
      'a',
      'a',
    ],
    [
      'backwards, the rule of the common ancestor does not stop the choice',
      [group('f', [group('g', [leaf('a')]), group('h', [leaf('b')])], stopping)],
      'b',
      'a',
      'a',
    ],
    [
      'forwards, the rule of the common ancestor stops the choice (SB.2.4-1)',
      [leaf('z'), group('f', [group('g', [leaf('a')]), group('h', [leaf('b')])], stopping)],
      'a',
      'b',
      'SB.2.4-1',
    ],
    [
      'forwards, the rule of the activity being left does not stop a move to another group',
      [group('g', [leaf('a', stops)]), group('h', [leaf('b')])],
      'a',
      'b',
      'b',
    ],
    [
      'forwards, the rule of the target does not stop the choice',
      [group('g', [leaf('a')]), group('h', [leaf('b', stops)])],
      'a',
      'b',
      'b',
    ],
    [
      'forwards, the rules of the groups in between count, but not those of the activities in them',
      [group('g', [leaf('a')]), group('h', [leaf('s', stops)]), group('i', [leaf('b')])],
      'a',
      'b',
      'b',
    ],
  ];
  for (const [title, units, first, target, outcome] of ways)
    it(title, () => {
      const learner = learnerOf(courseOf(units));
      assert.equal(learner.ask(`jump ${first}`), 'NB.2.1-2');
      learner.ask('start');
      assert.equal(learner.ask(`jump ${first}`), first);
      assert.equal(learner.ask(`choice ${target}`), outcome);
    });

  /**
   * PreventActivation applies to inactive groups that the choice would enter. It does not apply to active
   * groups or to groups above them (SN §3.3).
   */
  const activations: [title: string, units: Unit[], requests: string[], outcome: string][] = [
    [
      'the learner can move within an active group',
      [group('f', [group('g', [leaf('a')]), group('h', [leaf('b')])], late)],
      ['start', 'choice b'],
      'b',
    ],
    [
      'the common ancestor is not entered, even if its attempt has ended',
      [group('g', [leaf('a'), group('h', [leaf('b')], {}), group('i', [leaf('c')])], late), leaf('d')],
      ['start', 'choice h', 'choice c'],
      'c',
    ],
    [
      'the outermost group with preventActivation refuses the choice',
      [leaf('a'), group('g', [group('h', [leaf('b')], late)], late)],
      ['start', 'choice b'],
      'SB.2.9-6',
    ],
    [
      'a choice in a current group without flow enters a nested group',
      [leaf('d'), group('g', [group('h', [leaf('b')], late)], {})],
      ['start', 'choice g', 'choice b'],
      'SB.2.9-6',
    ],
  ];
  for (const [title, units, requests, outcome] of activations)
    it(title, () => assert.equal(askAll(learnerOf(courseOf(units)), requests), outcome));

  it('the first rule from the root down applies, and the refusal names its activity', () => {
    const units = [leaf('a'), group('g', [group('h', [leaf('b')], late)], late)];
    const course = courseOf(units);
    const learner = learnerOf(course);
    learner.ask('start');
    const { answer } = request(course, learner.state, { kind: 'choice', target: 'b' }, 5_000);
    assert.equal(answer.kind === 'refused' && answer.refusal.activity, 'g');
  });

  it('chooses the current group again', () => {
    const learner = learnerOf(courseOf([leaf('a'), group('g', [leaf('b')], { ...late, ControlMode: {} })]));
    assert.equal(askAll(learner, ['start', 'choice g', 'choice g']), 'SB.2.2-1');
    assert.equal(learner.ask('choice b'), 'b');
  });

  it('rejects an activity that was not selected (SB.2.9-2)', () => {
    const Randomization = { SelectionTiming: 'once', SelectCount: 1 };
    const course = courseOf([
      leaf('a'),
      group('g', [leaf('b'), leaf('c')], { ControlMode: flow, Randomization }),
    ]);
    const outcomes = ['b', 'c'].map((id) => askAll(learnerOf(course), ['start', `choice ${id}`]));
    assert.deepEqual(outcomes.filter((outcome) => outcome === 'SB.2.9-2').length, 1);
  });

  it('makes a group current if nothing in it can be delivered, so that the learner can choose again', () => {
    const learner = learnerOf(courseOf([group('g', [leaf('a'), leaf('b')], {}), leaf('c')]));
    assert.equal(askAll(learner, ['choice c', 'choice g']), 'SB.2.2-1');
    assert.equal(learner.state.current, 'g');
    assert.equal(learner.ask('choice b'), 'b');
  });

  it('ends only attempts below the common ancestor (UP.3)', () => {
    const learner = learnerOf(courseOf(four()));
    askAll(learner, ['choice g1', 'choice g2']);
    const attempts = (id: string) => new Map(learner.state.activities).get(id)?.attempts;
    assert.deepEqual([attempts('g'), attempts('g1'), attempts('root')], [1, 1, 1]);
    askAll(learner, ['choice h1', 'choice g1']);
    assert.deepEqual([attempts('g'), attempts('h'), attempts('root')], [2, 1, 1]);
  });
});
