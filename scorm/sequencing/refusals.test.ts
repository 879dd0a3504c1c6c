import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Unit } from '../../standards/types.ts';
import { askAll, type Learner, learnerOf, requestFrom, rule } from '../test-support/learners.ts';
import { courseOf, group, leaf } from '../test-support/trees.ts';
import { choiceRequest } from './choice.ts';
import type { Course } from './course.ts';
import { contentDeliveryEnvironment, deliveryRequest } from './delivery.ts';
import type { Refused } from './outcomes.ts';
import type { Refusal, SequencingRequest } from './requests.ts';
import { sequencingRequest } from './sequencing-requests.ts';
import * as session from './session.ts';
import { terminationRequest } from './termination.ts';

const flow = { Flow: true };
/** The rule has position 1 because it is the second rule of its activity. */
const ruled = (action: string) => ({
  ControlMode: flow,
  Rules: [rule('pre', action, 'never'), rule('pre', action, 'always')],
});
const locked = { ControlMode: { Flow: true, ChoiceExit: false } };
const forwards = { ControlMode: { Flow: true, ForwardOnly: true } };
const closed = leaf('x', ruled('disabled'));

const text = ({ code, reason, activity, rule: position }: Refusal) =>
  `${code} ${reason} ${activity} ${position}`;

const refusalOf = (course: Course, { state }: Learner, request: string): string => {
  const { answer } = session.request(course, state, requestFrom(request), 60_000);
  return answer.kind === 'refused' ? text(answer.refusal) : answer.kind;
};

/** The units, the earlier requests, the request, and its refusal: code, reason, activity and position of the rule. */
const cases: [units: Unit[], before: string[], request: string, refusal: string][] = [
  // NB.2.1
  [[leaf('a')], ['start'], 'start', 'NB.2.1-1 sessionAlreadyBegun null null'],
  [[leaf('a')], ['start'], 'resumeAll', 'NB.2.1-1 sessionAlreadyBegun null null'],
  [[leaf('a')], [], 'resumeAll', 'NB.2.1-3 nothingSuspended null null'],
  [[leaf('a')], [], 'continue', 'NB.2.1-2 sessionNotBegun null null'],
  [[leaf('a')], [], 'exit', 'NB.2.1-2 sessionNotBegun null null'],
  [[leaf('a')], [], 'exitAll', 'NB.2.1-2 sessionNotBegun null null'],
  [[leaf('a')], [], 'jump a', 'NB.2.1-2 sessionNotBegun null null'],
  [[group('g', [leaf('a')], {})], ['choice a'], 'continue', 'NB.2.1-4 flowOff g null'],
  [[group('g', [leaf('a')], {})], ['choice a'], 'previous', 'NB.2.1-5 flowOff g null'],
  [[group('g', [leaf('a')], forwards)], ['start'], 'previous', 'NB.2.1-5 forwardOnly g null'],
  [[closed], ['choice root'], 'continue', 'NB.2.1-4 noParent root null'],
  [[closed], ['choice root'], 'previous', 'NB.2.1-5 noParent root null'],
  [[group('g', [leaf('a')], locked), leaf('b')], ['start'], 'choice b', 'NB.2.1-8 choiceExitOff g null'],
  [[leaf('a', locked), leaf('b')], ['start'], 'choice b', 'NB.2.1-8 choiceExitOff a null'],
  [[leaf('a')], [], 'choice b', 'NB.2.1-11 unknownActivity null null'],
  [
    [group('g', [leaf('a')], { ControlMode: { Flow: true, Choice: false } })],
    [],
    'choice a',
    'NB.2.1-10 choiceOff g null',
  ],
  [[leaf('a')], ['start', 'exit'], 'exit', 'NB.2.1-12 nothingOpen a null'],
  [[leaf('a')], ['start'], 'jump b', 'NB.2.1-14 unknownActivity null null'],
  [
    [leaf('a'), group('g', [leaf('b')], { Randomization: { SelectionTiming: 'once', SelectCount: 0 } })],
    ['start'],
    'jump b',
    'NB.2.1-14 notSelected b null',
  ],
  // TB.2.3
  [[closed], ['choice root'], 'suspendAll', 'TB.2.3-3 noParent root null'],
  // SB.2.1 and SB.2.2
  [
    [
      leaf('a'),
      group('g', [leaf('b')], {
        ControlMode: flow,
        Randomization: { SelectionTiming: 'once', SelectCount: 0 },
      }),
    ],
    ['start'],
    'continue',
    'SB.2.1-2 noChildren g null',
  ],
  [[leaf('a')], ['start'], 'previous', 'SB.2.1-3 firstActivity root null'],
  [
    [group('f', [leaf('a'), group('g', [leaf('b')])], forwards)],
    ['choice b'],
    'previous',
    'SB.2.1-4 forwardOnly f null',
  ],
  [[leaf('a'), group('g', [leaf('b')], {})], ['start'], 'continue', 'SB.2.2-1 flowOff g null'],
  [[leaf('a'), closed], ['start'], 'continue', 'SB.2.2-2 disabled x 1'],
  [
    [leaf('a', { Limits: { AttemptLimit: 1 } }), leaf('b')],
    ['start', 'continue'],
    'previous',
    'SB.2.2-2 attemptLimit a null',
  ],
  // SB.2.9
  [
    [leaf('a'), leaf('s', ruled('stopForwardTraversal')), leaf('b')],
    ['start'],
    'choice b',
    'SB.2.4-1 stopForwardTraversal s 1',
  ],
  [[group('g', [leaf('a'), leaf('b')], forwards)], ['choice b'], 'choice a', 'SB.2.4-2 forwardOnly g null'],
  [
    [leaf('a'), group('g', [leaf('b')], { Randomization: { SelectionTiming: 'once', SelectCount: 0 } })],
    [],
    'choice b',
    'SB.2.9-2 notSelected b null',
  ],
  [
    [leaf('a'), group('g', [leaf('b')], ruled('hiddenFromChoice'))],
    [],
    'choice b',
    'SB.2.9-3 hiddenFromChoice g 1',
  ],
  [
    [
      leaf('a'),
      group('g', [leaf('b')], { ControlMode: flow, ConstrainedChoice: { PreventActivation: true } }),
    ],
    ['start'],
    'choice b',
    'SB.2.9-6 preventActivation g null',
  ],
  [
    [
      group('f', [group('g', [leaf('a'), group('h', [leaf('b')], {})], locked), leaf('c')]),
      group('i', [leaf('d')]),
    ],
    ['start', 'choice h'],
    'choice d',
    'SB.2.9-7 choiceExitOff g null',
  ],
  [
    [group('f', [group('g', [leaf('a'), group('h', [leaf('b')], {})], locked), leaf('c')])],
    ['start', 'choice h'],
    'choice f',
    'SB.2.9-7 choiceExitOff h null',
  ],
  [
    [
      group('k', [leaf('a')], { ControlMode: flow, ConstrainedChoice: { ConstrainChoice: true } }),
      group('g', [leaf('b')]),
      group('h', [leaf('c')]),
    ],
    ['start'],
    'choice c',
    'SB.2.9-8 constrainChoice k null',
  ],
  [[leaf('a'), group('g', [leaf('b', ruled('skip'))])], ['start'], 'choice g', 'SB.2.9-9 noChildren g null'],
  // DB.1.1
  [[group('g', [leaf('a')])], ['start'], 'jump g', 'DB.1.1-1 notALeaf g null'],
  [[leaf('a'), closed], ['start'], 'choice x', 'DB.1.1-3 disabled x 1'],
  [
    [group('g', [leaf('a')], ruled('disabled')), leaf('b')],
    ['choice b'],
    'choice a',
    'DB.1.1-3 disabled g 1',
  ],
  [
    [leaf('a', { Limits: { AttemptLimit: 1 } })],
    ['start', 'exit'],
    'choice a',
    'DB.1.1-3 attemptLimit a null',
  ],
  [
    [leaf('a', { Limits: { AttemptAbsoluteDurationLimit: 'PT30S' } })],
    ['start', 'abandon'],
    'choice a',
    'DB.1.1-3 durationLimit a null',
  ],
];

describe('a refusal includes the rule that caused it', () => {
  for (const [units, before, request, expected] of cases)
    it(`${[...before, request].join(', ')}: ${expected}`, () => {
      const course = courseOf(units);
      const learner = learnerOf(course);
      askAll(learner, before);
      assert.equal(refusalOf(course, learner, request), expected);
    });

  it('TB.2.3-4: exitParent at the root', () => {
    const exits = { ControlMode: flow, Rules: [rule('post', 'exitParent', 'always')] };
    const course = courseOf([leaf('a', exits)], exits);
    const learner = learnerOf(course);
    learner.ask('start');
    assert.equal(refusalOf(course, learner, 'continue'), 'TB.2.3-4 noParent root null');
  });
});

const kept = group('g', [leaf('a'), leaf('b')], { ControlMode: { Choice: false } });

/**
 * Requests that the navigation process already rejects. The sequencing processes must also reject them (SN
 * §4.7).
 */
const direct: [units: Unit[], before: string[], request: SequencingRequest, refusal: string][] = [
  [[leaf('a')], ['start'], { kind: 'start' }, 'SB.2.5-1 sessionAlreadyBegun null null'],
  [[leaf('a')], ['start'], { kind: 'resumeAll' }, 'SB.2.6-1 sessionAlreadyBegun null null'],
  [[leaf('a')], [], { kind: 'resumeAll' }, 'SB.2.6-2 nothingSuspended null null'],
  [[leaf('a')], [], { kind: 'continue' }, 'SB.2.7-1 sessionNotBegun null null'],
  [[leaf('c'), kept], ['start', 'jump a'], { kind: 'continue' }, 'SB.2.7-2 flowOff g null'],
  [[leaf('a')], [], { kind: 'previous' }, 'SB.2.8-1 sessionNotBegun null null'],
  [[leaf('c'), kept], ['start', 'jump b'], { kind: 'previous' }, 'SB.2.8-2 flowOff g null'],
  [[leaf('a')], [], { kind: 'retry' }, 'SB.2.10-1 sessionNotBegun null null'],
  [[leaf('a')], ['start'], { kind: 'retry' }, 'SB.2.10-2 stillOpen a null'],
  [[leaf('a')], [], { kind: 'exit' }, 'SB.2.11-1 sessionNotBegun null null'],
  [[leaf('a')], ['start'], { kind: 'exit' }, 'SB.2.11-2 stillOpen a null'],
  [[leaf('a')], [], { kind: 'jump', target: 'a' }, 'SB.2.13-1 sessionNotBegun null null'],
  [[leaf('a')], ['start'], { kind: 'jump', target: 'b' }, 'SB.2.13-1 unknownActivity null null'],
  [[leaf('a')], ['start'], { kind: 'choice', target: 'b' }, 'SB.2.9-1 unknownActivity null null'],
  [[leaf('c'), kept], ['start'], { kind: 'choice', target: 'a' }, 'SB.2.9-4 choiceOff g null'],
];

const textOf = (outcome: Refused | { kind: string } | null | boolean) =>
  typeof outcome === 'object' && outcome && 'refusal' in outcome ? text(outcome.refusal) : outcome;

describe('SB.2.5–SB.2.13 also reject requests that the navigation process rejects', () => {
  for (const [units, before, request, expected] of direct)
    it(`${[...before, request.kind].join(', ')}: ${expected}`, () => {
      const learner = learnerOf(courseOf(units));
      askAll(learner, before);
      assert.equal(textOf(sequencingRequest(learner.draft(), request)), expected);
    });

  it('SB.2.9-1: no target', () => {
    const draft = learnerOf(courseOf([leaf('a')])).draft();
    assert.equal(textOf(choiceRequest(draft, undefined)), 'SB.2.9-1 unknownActivity null null');
  });

  it('SB.2.10-2: a suspended activity cannot be retried', () => {
    const learner = learnerOf(courseOf([leaf('a'), leaf('b')]));
    learner.ask('start');
    learner.finish({ 'cmi.exit': 'suspend' }, 'exit');
    assert.equal(textOf(sequencingRequest(learner.draft(), { kind: 'retry' })), 'SB.2.10-2 stillOpen a null');
  });

  it('TB.2.3: an unknown or closed current activity', () => {
    const learner = learnerOf(courseOf([leaf('a')]));
    assert.equal(textOf(terminationRequest(learner.draft(), 'exit')), 'TB.2.3-1 sessionNotBegun null null');
    askAll(learner, ['start', 'exit']);
    assert.equal(textOf(terminationRequest(learner.draft(), 'exit')), 'TB.2.3-2 nothingOpen a null');
    assert.equal(textOf(terminationRequest(learner.draft(), 'abandon')), 'TB.2.3-2 nothingOpen a null');
    assert.equal(textOf(terminationRequest(learner.draft(), 'exitParent')), 'TB.2.3-7 nothingOpen a null');
  });

  it('DB.1.1-1 and DB.2-1: a group, and an activity while another one is open', () => {
    const course = courseOf([leaf('a'), group('g', [leaf('b')])]);
    const learner = learnerOf(course);
    learner.ask('start');
    const [b, g] = ['b', 'g'].map((id) => course.byID.get(id) ?? assert.fail(id));
    assert.ok(b && g);
    assert.equal(textOf(deliveryRequest(learner.draft(), g)), 'DB.1.1-1 notALeaf g null');
    assert.equal(textOf(contentDeliveryEnvironment(learner.draft(), b)), 'DB.2-1 stillOpen a null');
  });
});
