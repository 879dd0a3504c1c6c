import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { askAll, learnerOf, requestFrom } from '../test-support/learners.ts';
import { courseOf, group, leaf } from '../test-support/trees.ts';
import { navigationRequest } from './navigation.ts';
import { parseRequest } from './requests.ts';

const course = courseOf([
  leaf('a'),
  group('free', [leaf('b'), leaf('c')], { ControlMode: { Choice: true } }),
  group('forwards', [leaf('d'), leaf('e')], { ControlMode: { Flow: true, ForwardOnly: true } }),
  group('listed', [leaf('f')], { ControlMode: { Choice: false, Flow: true } }),
  group('kept', [leaf('g'), leaf('h')], { ControlMode: { Flow: true, ChoiceExit: false } }),
  leaf('i', { ControlMode: { ChoiceExit: false } }),
]);

/** NB.2.1 (SN §5.6.1): earlier requests, a request, and its outcome: termination → sequencing, or a code. */
const cases: [before: string[], request: string, outcome: string][] = [
  [[], 'start', '- → start'],
  [['start'], 'start', 'NB.2.1-1'],
  [[], 'resumeAll', 'NB.2.1-3'],
  [['start'], 'resumeAll', 'NB.2.1-1'],
  [['start', 'suspendAll'], 'resumeAll', '- → resumeAll'],
  [[], 'continue', 'NB.2.1-2'],
  [['start'], 'continue', 'exit → continue'],
  [['start', 'exit'], 'continue', '- → continue'],
  [['choice b'], 'continue', 'NB.2.1-4'],
  [[], 'previous', 'NB.2.1-2'],
  [['start'], 'previous', 'exit → previous'],
  [['choice b'], 'previous', 'NB.2.1-5'],
  [['choice e'], 'previous', 'NB.2.1-5'],
  [['choice e'], 'continue', 'exit → continue'],
  [[], 'choice nowhere', 'NB.2.1-11'],
  [[], 'choice f', 'NB.2.1-10'],
  [[], 'choice b', '- → choice b'],
  [['start'], 'choice b', 'exit → choice b'],
  [['start', 'exit'], 'choice b', '- → choice b'],
  [['start'], 'choice root', 'exit → choice root'],
  [['choice g'], 'choice a', 'NB.2.1-8'],
  [['choice g'], 'choice h', 'exit → choice h'],
  [['choice i'], 'choice i', 'NB.2.1-8'],
  [['choice i'], 'choice a', 'NB.2.1-8'],
  [['choice i', 'exit'], 'choice a', '- → choice a'],
  [[], 'jump a', 'NB.2.1-2'],
  [['start'], 'jump nowhere', 'NB.2.1-14'],
  [['start'], 'jump f', 'exit → jump f'],
  [['choice g'], 'jump a', 'exit → jump a'],
  [[], 'exit', 'NB.2.1-2'],
  [['start'], 'exit', 'exit → exit'],
  [['start', 'exit'], 'exit', 'NB.2.1-12'],
  [['start'], 'abandon', 'abandon → exit'],
  [['start', 'exit'], 'abandon', 'NB.2.1-12'],
  ...['exitAll', 'abandonAll', 'suspendAll'].flatMap((request): [string[], string, string][] => [
    [[], request, 'NB.2.1-2'],
    [['start'], request, `${request} → exit`],
    [['start', 'exit'], request, `${request} → exit`],
  ]),
];

describe('NB.2.1 Navigation Request Process', () => {
  for (const [before, request, expected] of cases)
    it(`${[...before, request].join(', ')}: ${expected}`, () => {
      const learner = learnerOf(course);
      askAll(learner, before);
      const outcome = navigationRequest(learner.draft(), requestFrom(request));
      if (outcome.kind === 'refused') {
        assert.equal(outcome.refusal.code, expected);
        return;
      }
      const { termination, sequencing } = outcome;
      const target = 'target' in sequencing ? ` ${sequencing.target}` : '';
      assert.equal(`${termination ?? '-'} → ${sequencing.kind}${target}`, expected);
    });

  it('does not jump to an activity that was not selected', () => {
    const some = courseOf([
      leaf('a'),
      group('pool', [leaf('b'), leaf('c')], { Randomization: { SelectionTiming: 'once', SelectCount: 1 } }),
    ]);
    const learner = learnerOf(some);
    learner.ask('start');
    const codes = ['b', 'c'].map(
      (target) => navigationRequest(learner.draft(), { kind: 'jump', target }).kind,
    );
    assert.deepEqual(codes.sort(), ['navigation', 'refused']);
  });
});

describe('adl.nav.request (SN §5.6.4)', () => {
  const texts: [text: string | undefined, request: string | null][] = [
    ['continue', 'continue'],
    ['exitAll', 'exitAll'],
    ['suspendAll', 'suspendAll'],
    ['{target=a b}choice', 'choice:a b'],
    ['{target=x}jump', 'jump:x'],
    ['_none_', null],
    ['', null],
    [undefined, null],
    ['start', null],
    ['resumeAll', null],
    ['{target=}choice', null],
    ['{target=x}continue', null],
    ['x{target=a}choice', null],
    ['{target=a}choicex', null],
  ];
  for (const [text, expected] of texts)
    it(`${text}`, () => {
      const request = parseRequest(text);
      assert.equal(request && [request.kind, request.target].filter(Boolean).join(':'), expected);
    });
});
