import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Unit } from '../../standards/types.ts';
import { askAll, learnerOf, rule } from '../test-support/learners.ts';
import { courseOf, group, leaf } from '../test-support/trees.ts';

const skipped = { Rules: [rule('pre', 'skip', 'always')] };
const disabled = { Rules: [rule('pre', 'disabled', 'always')] };
const onlyForwards = { ControlMode: { Flow: true, ForwardOnly: true } };

/** SB.2.1–SB.2.3 (SN §4.7.1–2): the units, the earlier requests, and what the last request delivers. */
const cases: [title: string, units: Unit[], requests: string[], outcome: string][] = [
  ['enters groups forwards', [group('g', [group('h', [leaf('a')])])], ['start'], 'a'],
  ['leaves a group at its end', [group('g', [leaf('a')]), leaf('b')], ['start', 'continue'], 'b'],
  ['leaves several groups', [group('g', [group('h', [leaf('a')])]), leaf('b')], ['start', 'continue'], 'b'],
  ['ends the session after the last activity', [leaf('a')], ['start', 'continue'], 'ended'],
  ['goes back', [leaf('a'), leaf('b')], ['start', 'continue', 'previous'], 'a'],
  ['does not go back from the first activity', [leaf('a'), leaf('b')], ['start', 'previous'], 'SB.2.1-3'],
  [
    'goes back to the end of a group',
    [group('g', [leaf('a'), leaf('b')]), leaf('c')],
    ['choice c', 'previous'],
    'b',
  ],
  ['goes back out of a group', [leaf('a'), group('g', [leaf('b')])], ['choice b', 'previous'], 'a'],
  [
    'starts a forward-only group',
    [group('g', [leaf('a'), leaf('b')], onlyForwards), leaf('c')],
    ['choice c', 'previous'],
    'a',
  ],
  [
    'goes back past a forward-only group whose activities are all skipped',
    [leaf('z'), group('g', [leaf('a', skipped), leaf('b', skipped)], onlyForwards), leaf('c')],
    ['choice c', 'previous'],
    'z',
  ],
  [
    'continues in a forward-only group if its first activity is skipped',
    [leaf('z'), group('g', [leaf('a', skipped), leaf('b')], onlyForwards), leaf('c')],
    ['choice c', 'previous'],
    'b',
  ],
  [
    'goes back to the last of several activities in a group',
    [group('g', [leaf('a'), leaf('b'), leaf('d')]), leaf('c')],
    ['choice c', 'previous'],
    'd',
  ],
  [
    'goes back past a skipped last activity in a group',
    [leaf('z'), group('g', [leaf('a'), leaf('b', skipped)]), leaf('c')],
    ['choice c', 'previous'],
    'a',
  ],
  [
    'leaves a group whose activities are all skipped',
    [group('g', [leaf('a', skipped)]), leaf('b')],
    ['start'],
    'b',
  ],
  [
    'leaves a forward-only group whose activities are all skipped',
    [group('g', [leaf('a', skipped)], onlyForwards), leaf('b')],
    ['start'],
    'b',
  ],
  [
    'goes back past two forward-only groups whose activities are all skipped',
    [
      leaf('z'),
      group('f', [leaf('x', skipped), leaf('y', skipped)], onlyForwards),
      group('g', [leaf('a', skipped)], onlyForwards),
      leaf('c'),
    ],
    ['choice c', 'previous'],
    'z',
  ],
  [
    'goes back into an earlier forward-only group at its first activity that is not skipped',
    [
      group('f', [leaf('x', skipped), leaf('y')], onlyForwards),
      group('g', [leaf('a', skipped)], onlyForwards),
      leaf('c'),
    ],
    ['choice c', 'previous'],
    'y',
  ],
  ['skips', [leaf('a', skipped), leaf('b')], ['start'], 'b'],
  ['skips backwards', [leaf('a'), leaf('b', skipped), leaf('c')], ['choice c', 'previous'], 'a'],
  [
    'skips groups',
    [group('g', [leaf('a')], { ...skipped, ControlMode: { Flow: true } }), leaf('b')],
    ['start'],
    'b',
  ],
  [
    'ends the session if all remaining activities are skipped',
    [leaf('a'), leaf('b', skipped)],
    ['start', 'continue'],
    'ended',
  ],
  [
    'does not skip back past the first activity',
    [leaf('a', skipped), leaf('b')],
    ['choice b', 'previous'],
    'SB.2.1-3',
  ],
  [
    'does not enter groups without flow',
    [leaf('a'), group('g', [leaf('b')], {})],
    ['start', 'continue'],
    'SB.2.2-1',
  ],
  [
    'stops at disabled activities',
    [leaf('a'), leaf('b', disabled), leaf('c')],
    ['start', 'continue'],
    'SB.2.2-2',
  ],
  [
    'stops at disabled groups',
    [leaf('a'), group('g', [leaf('b')], { ...disabled, ControlMode: { Flow: true } })],
    ['start', 'continue'],
    'SB.2.2-2',
  ],
  [
    'stops at an activity whose attempts are used up',
    [leaf('a'), leaf('b', { Limits: { AttemptLimit: 1 } })],
    ['start', 'continue', 'previous', 'continue'],
    'SB.2.2-2',
  ],
  [
    'does not enter a group without available children',
    [
      leaf('a'),
      group('g', [leaf('b')], {
        ControlMode: { Flow: true },
        Randomization: { SelectionTiming: 'once', SelectCount: 0 },
      }),
    ],
    ['start', 'continue'],
    'SB.2.1-2',
  ],
];

describe('SB.2.1–SB.2.3 Flow', () => {
  for (const [title, units, requests, outcome] of cases)
    it(`${title}: ${requests.join(', ')} → ${outcome}`, () => {
      assert.equal(askAll(learnerOf(courseOf(units)), requests), outcome);
    });

  it('skips thousands of activities without recursion', () => {
    const units = Array.from({ length: 5_000 }, (_, index) => leaf(`u${index}`, skipped));
    assert.equal(askAll(learnerOf(courseOf([leaf('a'), ...units, leaf('z')])), ['start', 'continue']), 'z');
  });

  it('reports the activity and the rule that prevent the request', () => {
    const learner = learnerOf(
      courseOf([
        leaf('a'),
        leaf('b', { Rules: [rule('post', 'retry', 'satisfied'), rule('pre', 'disabled', 'always')] }),
      ]),
    );
    learner.ask('start');
    const { requests } = learner.predict();
    assert.deepEqual(requests.continue, {
      allowed: false,
      refusal: { code: 'SB.2.2-2', reason: 'disabled', activity: 'b', rule: 1 },
    });
  });
});
