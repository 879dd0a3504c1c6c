import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { cpuMilliseconds } from '../test-support/cpu-time.ts';
import { call } from './api.ts';
import { argument } from './calls.ts';
import { interactionTypes } from './responses.ts';
import { begin, modelFor, snapshot } from './session.ts';
import { session } from './test-support.ts';
import type { Edition } from './types.ts';

const runs = Number(process.env.PROPERTY_RUNS ?? 100);
const editions: Edition[] = ['scorm12', 'scorm2004-2nd', 'scorm2004-3rd', 'scorm2004-4th'];
const edition = fc.constantFrom(...editions);

const names = editions.flatMap((edition) => {
  const { elements, collections } = modelFor(edition);
  return [
    ...elements.keys(),
    ...[...collections.keys()].flatMap((name) => [`${name}._count`, `${name}._children`]),
  ];
});
/** Indices are small, so many calls refer to existing members. */
const name = fc.tuple(fc.constantFrom(...names), fc.nat(2), fc.nat(2)).map(([name, a, b]) => at(name, a, b));
const at = (name: string, a: number, b: number) => name.replace('.n.', `.${a}.`).replace('.n.', `.${b}.`);
const hostile = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'cmi.__proto__',
    '#count cmi.objectives',
    'cmi.objectives.-1.id',
    '',
  ),
  fc.constantFrom(
    'adl.nav.request_valid.choice.{target=}',
    'adl.nav.request_valid.jump.{target=a}',
    'adl.data.0.store',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const words = [
  'passed',
  'completed',
  'choice',
  'true-false',
  'true',
  '0',
  '1',
  '-1',
  '0.5',
  'a',
  'a[,]b',
  'PT1S',
];
const value = fc.oneof(
  fc.constantFrom(
    ...words,
    '00:00:01',
    '2004-01-01',
    '{lang=en}x',
    '{lang=',
    '{case_matters=true}a[.]b',
    '1[:]2',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);
const functions = [
  'Initialize',
  'Terminate',
  'GetValue',
  'SetValue',
  'Commit',
  'GetLastError',
  'GetErrorString',
  'GetDiagnostic',
];

const request = fc.record({
  fn: fc.constantFrom(...functions, 'SetValue', 'SetValue', 'SetValue', 'toString'),
  name: fc.oneof({ weight: 6, arbitrary: name }, { weight: 1, arbitrary: hostile }),
  value,
});

function callOf({ fn, name, value }: { fn: string; name: string; value: string }, edition: Edition) {
  const takesName = fn === 'GetValue' || fn === 'SetValue' || fn.startsWith('GetE') || fn.startsWith('GetD');
  const named = edition === 'scorm12' ? (fn === 'Terminate' ? 'LMSFinish' : `LMS${fn}`) : fn;
  return { fn: named, args: takesName ? [name, value] : [''] };
}

it('no call throws, every result is a string with a known error code, and the state is always JSON', () => {
  fc.assert(
    fc.property(edition, fc.array(request, { minLength: 20, maxLength: 80 }), (edition, requests) => {
      let { state } = begin({ edition, data: {} });
      for (const request of [{ fn: 'Initialize', name: '', value: '' }, ...requests]) {
        const answer = call(state, callOf(request, edition), { now: 0 });
        assert.equal(typeof answer.returned, 'string');
        assert.equal(answer.state.error, answer.error);
        assert.ok(answer.diagnostic.length <= 255);
        state = answer.state;
      }
      assert.deepEqual(JSON.parse(JSON.stringify(state)), state);
    }),
    { numRuns: runs },
  );
});

/** Names and values to set, for one edition. Most of the values are valid, and most of the members exist. */
const sets = (edition: Edition) => {
  const known = [...modelFor(edition).elements.keys()];
  const plausible = fc.constantFrom(
    ...['passed', 'completed', 'suspend', 'correct', 'true', 'false', '', '0', '1', '-0.5', '42', '1e-7'],
    ...[
      'PT1M',
      '0000:01:00.00',
      '12:30:00',
      '2004-04-01',
      'en',
      '{lang=de}x',
      'one',
      'two',
      'a[,]b',
      'a[.]b',
    ],
    ...[
      '1[:]2',
      '{order_matters=true}a[.]b[,]c[.]d',
      '{case_matters=true}{lang=en}x',
      'two words',
      '{target=a}choice',
    ],
  );
  const type = fc.constantFrom(...interactionTypes).map((type) => ['cmi.interactions.0.type', type] as const);
  const member = fc.tuple(
    fc.constantFrom(...known),
    fc.nat(1),
    fc.nat(1),
    fc.oneof(plausible, plausible, value),
  );
  const other = member.map(([name, a, b, value]) => [at(name, a, b), value] as const);
  return fc.array(fc.oneof({ weight: 1, arbitrary: type }, { weight: 9, arbitrary: other }), {
    minLength: 30,
    maxLength: 120,
  });
};

const begun = [
  ['cmi.objectives.0.id', 'first'],
  ['cmi.interactions.0.id', 'question'],
  ['cmi.interactions.0.type', 'choice'],
] as const;

it('GetValue returns what SetValue accepted, even after the data was stored and loaded', () => {
  const accepted = new Set<string>();
  const arbitrary = edition.chain((edition) => fc.tuple(fc.constant(edition), sets(edition)));
  fc.assert(
    fc.property(arbitrary, ([edition, sets]) => {
      const one = session({ edition });
      const kept = new Set<string>();
      for (const [name, value] of [...begun, ...sets]) {
        if (one.set(name, value)[0] !== 'true') continue;
        accepted.add(name.replace(/\d+/g, 'n'));
        const [now, error] = one.get(name);
        if (error === (edition === 'scorm12' ? 404 : 405)) continue;
        assert.equal(error, 0, name);
        if (edition !== 'scorm12') assert.equal(now, value, name);
        if (name.startsWith('cmi.')) kept.add(name);
      }
      const again = session({ edition, data: snapshot(one.state, 0) });
      assert.deepEqual(
        again.notes.filter(({ note }) => note.startsWith('not loaded')),
        [],
      );
      for (const name of kept) assert.deepEqual(again.get(name), one.get(name), name);
    }),
    { numRuns: runs },
  );
  // Usually about 50; the random inputs sometimes set a few less.
  assert.ok(accepted.size > 35, `only ${accepted.size} elements were ever set`);
});

it('any stored data can be loaded', () => {
  const data = fc.dictionary(fc.oneof(name, hostile), value, { maxKeys: 40 });
  fc.assert(
    fc.property(edition, data, (edition, data) => {
      const { state } = begin({ edition, data });
      const once = snapshot(state, 0);
      assert.deepEqual(snapshot(begin({ edition, data: once }).state, 0), once);
    }),
    { numRuns: runs },
  );
});

it('any argument is converted to a string', () => {
  const throwing = {
    toString() {
      throw new Error('no text');
    },
  };
  for (const value of [undefined, null, throwing, Object.create(null), Symbol('x'), 7, true, {}, []])
    assert.equal(typeof argument(value), 'string');
});

function timesAreLinear(prepare: (size: number) => () => void, size: number): void {
  const measure = (size: number) => {
    const run = prepare(size);
    const start = cpuMilliseconds();
    run();
    return cpuMilliseconds() - start;
  };
  // An input that is 4 times as long takes 4 times as long in linear time and 16 times as long in quadratic
  // time. A busy machine may distort one measurement, but not all three.
  const attempts = [1, 2, 3].map(() => [measure(size / 4), measure(size)] as const);
  const isLinear = ([small, large]: readonly [number, number]) => large < 40 || large < small * 10;
  assert.ok(attempts.some(isLinear), JSON.stringify(attempts));
}

it('the time for many calls does not grow quadratically', () => {
  timesAreLinear(
    (size) => () => {
      const one = session();
      for (let index = 0; index < size; index++) one.set(`cmi.objectives.${index}.id`, `objective-${index}`);
      assert.deepEqual(one.get('cmi.objectives._count'), [String(size), 0]);
    },
    9_600,
  );
});

it('the time for long texts does not grow quadratically', () => {
  for (const part of [
    '[,]',
    '[.]',
    '[:]',
    '{lang=',
    '{case_matters=true}',
    'a',
    ' ',
    '.',
    '0',
    'urn:a:',
    '}',
    'P1',
  ])
    timesAreLinear((size) => {
      const text = part.repeat(size);
      const one = session();
      one.set('cmi.interactions.0.id', 'a');
      return () => {
        for (const name of names) one.set(name.replace('.n.', '.0.').replace('.n.', '.0.'), text);
        for (const type of [
          'choice',
          'fill-in',
          'matching',
          'performance',
          'sequencing',
          'numeric',
          'other',
        ]) {
          one.set('cmi.interactions.0.type', type);
          one.set('cmi.interactions.0.learner_response', text);
          one.set('cmi.interactions.0.correct_responses.0.pattern', text);
        }
        one.get(text);
        one.get(`adl.nav.request_valid.choice.{target=${text}`);
        one.call('GetErrorString', text);
        one.call('GetDiagnostic', text);
      };
    }, 100_000);
});
