import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunTimeData, SupportedResult, SupportedResults } from '../../standards/types.ts';
import { courseOf, group, leaf } from '../test-support/trees.ts';
import {
  betterResult,
  mergeSupportedResults,
  nothingSupported,
  supportedResults,
} from './supported-results.ts';

const byContent = { CompletionSetByContent: true, ObjectiveSetByContent: true };
const objective = (ObjectiveID: string, Primary: boolean, more = {}) => ({
  ...{ ObjectiveID, Primary, SatisfiedByMeasure: false, MinNormalizedMeasure: 1, Maps: [], ...more },
});
const course = courseOf([
  leaf('plain'),
  leaf('strict', { Delivery: byContent }),
  leaf('untracked', { Delivery: { Tracked: false } }),
  leaf('measured', {
    Delivery: byContent,
    Objectives: [objective('p', true, { SatisfiedByMeasure: true, MinNormalizedMeasure: 0.6 })],
  }),
  leaf('several', { Delivery: byContent, Objectives: [objective('o', false), objective('p', true)] }),
  group('g', [leaf('inner')]),
]);

describe("the results that a unit's data supports", () => {
  const passed = { 'cmi.success_status': 'passed', 'cmi.completion_status': 'completed' };
  const cases: [unit: string, data: RunTimeData, supported: SupportedResults][] = [
    ['plain', {}, [[0, { completed: true, satisfied: true }]]],
    ['plain', { 'cmi.exit': 'suspend' }, [[0, { completed: true, satisfied: true }]]],
    ['plain', { 'cmi.success_status': 'failed' }, [[0, { completed: true }]]],
    ['plain', { 'cmi.completion_status': 'incomplete' }, [[0, { satisfied: true }]]],
    ['strict', {}, []],
    ['strict', passed, [[0, { completed: true, satisfied: true }]]],
    ['strict', { 'cmi.completion_status': 'incomplete', 'cmi.success_status': 'failed' }, []],
    ['strict', { 'cmi.score.scaled': '0' }, [[0, { measure: 0 }]]],
    ['strict', { 'cmi.progress_measure': '0.5' }, [[0, { progress: 0.5 }]]],
    ['untracked', passed, []],
    ['measured', { 'cmi.score.scaled': '0.6' }, [[0, { satisfied: true, measure: 0.6 }]]],
    ['measured', { ...passed, 'cmi.score.scaled': '0.5' }, [[0, { completed: true, measure: 0.5 }]]],
    [
      'several',
      { 'cmi.objectives.0.id': 'o', 'cmi.objectives.0.success_status': 'passed', 'cmi.score.scaled': '-1' },
      [
        [0, { satisfied: true }],
        [1, { measure: -1 }],
      ],
    ],
    ['g', passed, []],
    ['nowhere', passed, []],
  ];
  for (const [unit, data, supported] of cases)
    it(`${unit}: ${JSON.stringify(data)}`, () =>
      assert.deepEqual(supportedResults(course, unit, data), supported));
});

describe('the better of two supported results', () => {
  const cases: [a: Partial<SupportedResult>, b: Partial<SupportedResult>, better: SupportedResult][] = [
    [{}, {}, nothingSupported],
    [{ completed: true }, {}, { ...nothingSupported, completed: true }],
    [{}, { completed: true }, { ...nothingSupported, completed: true }],
    [{ satisfied: true }, { satisfied: false }, { ...nothingSupported, satisfied: true }],
    [{ satisfied: false }, { satisfied: true }, { ...nothingSupported, satisfied: true }],
    [{ measure: 0.2 }, { measure: 0.4 }, { ...nothingSupported, measure: 0.4 }],
    [{ measure: 0.4 }, { measure: 0.2 }, { ...nothingSupported, measure: 0.4 }],
    [{ measure: null }, { measure: -0.2 }, { ...nothingSupported, measure: -0.2 }],
    [{ measure: 0 }, {}, { ...nothingSupported, measure: 0 }],
    [{ progress: 0.1 }, { progress: 0.3 }, { ...nothingSupported, progress: 0.3 }],
    [{}, { progress: 0 }, { ...nothingSupported, progress: 0 }],
  ];
  for (const [a, b, better] of cases)
    it(`${JSON.stringify(a)} and ${JSON.stringify(b)}`, () => assert.deepEqual(betterResult(a, b), better));

  it('no data supports no result', () =>
    assert.deepEqual(nothingSupported, {
      completed: false,
      satisfied: false,
      measure: null,
      progress: null,
    }));
});

describe('the supported results of several commits', () => {
  const cases: [title: string, a: SupportedResults, b: SupportedResults, merged: SupportedResults][] = [
    ['the earlier commit is empty', [], [[0, { completed: true }]], [[0, { completed: true }]]],
    ['the later commit is empty', [[0, { measure: 0.5 }]], [], [[0, { measure: 0.5 }]]],
    [
      'objectives are merged independently',
      [[0, { completed: true }]],
      [[1, { satisfied: true }]],
      [
        [0, { completed: true }],
        [1, { satisfied: true }],
      ],
    ],
    [
      'the better values of both are kept, and nothing else',
      [[0, { measure: 0.5, completed: true }]],
      [[0, { measure: 0.4, progress: 0 }]],
      [[0, { completed: true, measure: 0.5, progress: 0 }]],
    ],
    [
      'a measure of 0 is kept',
      [[0, { satisfied: true }]],
      [[0, { measure: 0 }]],
      [[0, { satisfied: true, measure: 0 }]],
    ],
  ];
  for (const [title, a, b, merged] of cases)
    it(title, () => assert.deepEqual(mergeSupportedResults(a, b), merged));
});
