import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatInterval, formatTimespan, isTimespan, secondsIn } from './intervals.ts';
import { isLanguage } from './languages.ts';
import { models2004 } from './model-2004.ts';
import { responseFormats } from './responses.ts';
import type { Check } from './types.ts';
import { interval, timestamp } from './values.ts';

const { elements } = models2004['scorm2004-4th'];
const of = (name: string): Check => elements.get(name)?.check ?? assert.fail(name);
const response = (type: string): Check => responseFormats[type]?.response ?? assert.fail(type);
const pattern = (type: string): Check => responseFormats[type]?.pattern ?? assert.fail(type);
const long = (length: number) => 'x'.repeat(length);

const tables: [section: string, check: Check, valid: string[], wrong: string[], noted?: string[]][] = [
  [
    'RTE 4th §4.1.1.7 time (second,10,0)',
    timestamp,
    [
      '1970',
      '2038',
      '2004-04',
      '2004-04-01',
      '2004-04-01T09',
      '2004-04-01T09:45:58.5',
      '2004-04-01T09:45:58.55Z',
    ],
    [
      '',
      '1969',
      '2039',
      '2004-4',
      '2004-13',
      '2004-04-32',
      '2004-04-01T',
      '2004-04-01T24',
      '2004-04-01T09:45:58Z',
    ],
    ['2026-11-29T08:57:22.123Z', '2026-11-29T08:57:22.123456+01:00'],
  ],
  [
    'RTE 4th §4.1.1.7 time zones',
    timestamp,
    ['2004-04-01T09:45:58.55+02', '2004-04-01T09:45:58.55-05:59'],
    [
      '2004-04-01T09:45:58.55+24',
      '2004-04-01T09:45:58.55-05:60',
      '2004-04-01T09:45:58.055',
      '2004-04-01T09:45+02',
    ],
  ],
  [
    'RTE 4th §4.1.1.7 timeinterval (second,10,2)',
    interval,
    ['P1Y6M14DT4H15M6.34S', 'P6M', 'PT15M', 'P0Y029DT0H', 'PT0H0M0S'],
    ['', 'P', 'PT', 'P1DT', '1Y', 'P1D4H', 'P1W', 'PT-1S', 'PT1.S', 'pt1s'],
    ['PT1.2345S'],
  ],
  [
    'RTE 4th §4.1.1.7 real (10,7)',
    of('cmi.score.raw'),
    ['7', '-0.5', '7.000099999887765544', '.5'],
    ['', 'x', '1,5', '+', '--1', 'Infinity', 'NaN', '0x10', ' 1'],
    ['1e-7'],
  ],
  ['RTE 4th §4.2.20 score.scaled', of('cmi.score.scaled'), ['-1', '1.0', '0'], ['', 'x']],
  [
    'RTE 4th §4.2.7 exit',
    of('cmi.exit'),
    ['time-out', 'suspend', 'logout', 'normal', ''],
    ['quit', 'Suspend'],
  ],
  [
    'RTE 4th §4.1.1.7 long_identifier_type',
    of('cmi.objectives.n.id'),
    ['one', 'urn:adl:lmsTest/OBJ01', 'http://example.org/a#b', 'Übung'],
    ['', ' ', 'urn:', 'urn:adl', 'urn:adl:lms Test'],
    ['Question 1', long(4_001)],
  ],
  [
    'RTE 4th §4.1.1.6 localised strings',
    of('cmi.comments_from_learner.n.comment'),
    [
      '',
      'Good',
      '{lang=de}Gut',
      '{lang=en-US}',
      '{lang=zh-min-nan}好',
      '{lang=i-klingon}x',
      '{lang=x-own}x',
      '{other}',
    ],
    ['{lang=}', '{lang=frl}x', '{lang=sp}x', '{lang=en', '{lang=en us}x'],
    [long(4_001)],
  ],
  ['RTE 4th §4.2.9.1 true-false', response('true-false'), ['true', 'false'], ['', 'TRUE', 't', '1']],
  [
    'RTE 4th §4.2.9.1 choice: a set',
    response('choice'),
    ['', 'a', 'a[,]b'],
    ['a[,]a', '[,]', 'a[,]', 'a{b}', 'a[.]b'],
    ['an answer', Array.from({ length: 37 }, (_, index) => `c${index}`).join('[,]')],
  ],
  [
    'RTE 4th §4.2.9.1 fill-in',
    response('fill-in'),
    ['', 'a', '[,]', 'a[,]a', '{lang=fr}a[,]b', '{}{[]}'],
    ['{lang=frl}a', 'a[,]{lang=}b'],
  ],
  [
    'RTE 4th §4.2.9.1 fill-in: correct responses',
    pattern('fill-in'),
    [
      '{case_matters=true}a',
      '{order_matters=false}{case_matters=true}a',
      '{case_matters=true}{lang=en}a',
      '{lang=en}{case_matters=maybe}a',
    ],
    ['{case_matters=maybe}a', '{case_matters=true}{order_matters=maybe}a', '{case_matters=true}{lang=frl}a'],
  ],
  [
    'RTE 4th §4.2.9.1 long-fill-in',
    pattern('long-fill-in'),
    ['', '{lang=en}a', '{case_matters=false}a[,]b'],
    ['{case_matters=x}a'],
  ],
  ['RTE 4th §4.2.9.1 likert', response('likert'), ['agree'], ['', 'a[,]b', '{}']],
  [
    'RTE 4th §4.2.9.1 matching',
    response('matching'),
    ['', 'a[.]b', 'a[.]b[,]a[.]b'],
    ['a', 'a[.]', '[.]a', 'a[.]b[.]c', 'a[.]b[,]c'],
  ],
  [
    'RTE 4th §4.2.9.1 performance',
    pattern('performance'),
    ['a[.]b', '[.]b', 'a[.]', '{order_matters=true}a[.]b[,]c[.]1[:]2', 'a[.][:]2', 'a[.]two words'],
    ['[.]', 'a', '{order_matters=x}a[.]b', 'a[.]2[:]1', 'a[.]b[.]c'],
  ],
  [
    'RTE 4th §4.2.9.1 sequencing: repetitions count',
    response('sequencing'),
    ['', 'a', 'a[,]b[,]a'],
    ['[,]', 'a[.]b', '{}'],
  ],
  [
    'RTE 4th §4.2.9.1 numeric',
    pattern('numeric'),
    ['3[:]10', '[:]10', '3[:]', '-1000.3[:]-1.00', '4'],
    ['', '10[:]3', '1,000', 'a[:]b', '1[:]2[:]3'],
  ],
  [
    'RTE 4th §4.2.9.1 numeric: a response is a number',
    response('numeric'),
    ['3', '-0.23'],
    ['', '1[:]2', '4a'],
  ],
  ['RTE 4th §4.2.21 suspend_data', of('cmi.suspend_data'), ['', long(64_000)], [], [long(64_001)]],
];

for (const [section, check, valid, wrong, noted = []] of tables)
  it(section, () => {
    for (const text of valid) assert.equal(check(text), 'valid', text.slice(0, 40));
    for (const text of wrong) assert.equal(check(text), 'wrong type', text.slice(0, 40));
    for (const text of noted) assert.equal(typeof check(text), 'object', text.slice(0, 40));
  });

it('out-of-range values are distinguished from values of the wrong type', () => {
  assert.equal(of('cmi.score.scaled')('1.0000999'), 'out of range');
  assert.equal(of('cmi.progress_measure')('-0.1'), 'out of range');
  assert.equal(of('cmi.learner_preference.audio_level')('-1'), 'out of range');
});

describe('Times', () => {
  for (const [text, seconds] of [
    ['PT1H2M3.5S', 3_723.5],
    ['P29D', 2_505_600],
    ['P0Y029DT0H', 2_505_600],
    ['0001:02:03.50', 3_723.5],
    ['00:00:00.00', 0],
    ['soon', 0],
    ['', 0],
    [`PT${'9'.repeat(500)}S`, 0],
  ] as const)
    it(`reads ${text.slice(0, 20)} as ${seconds} s`, () => assert.equal(secondsIn(text), seconds));

  it('formatted times are read back as the same time', () => {
    for (const seconds of [0, 0.01, 59.99, 60, 3_600, 86_400, 35_999_999.99]) {
      assert.equal(secondsIn(formatInterval(seconds)), seconds);
      assert.equal(secondsIn(formatTimespan(seconds)), seconds);
      assert.ok(isTimespan(formatTimespan(seconds)));
    }
  });
});

describe('Languages', () => {
  for (const tag of ['en', 'EN', 'deu', 'ger', 'zh-Hant', 'sgn-BE-fr', 'i-default', 'x-own', 'qaa'])
    it(`accepts ${tag}`, () => assert.ok(isLanguage(tag)));
  for (const tag of ['', 'i', 'x', 'english', 'en-', 'en--us', 'en_US', '-en', 'sp', `en${'-a'.repeat(200)}`])
    it(`rejects ${tag.slice(0, 20) || 'an empty tag'}`, () => assert.ok(!isLanguage(tag)));
});
