import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Question, questionTotals } from './question-totals.ts';

const asked = (InteractionID: string, more: Partial<Question> = {}): Question => ({
  ...{
    UnitID: 'u',
    UnitTitle: 'Unit',
    InteractionID,
    Type: 'choice',
    Description: null,
    CorrectResponses: [],
  },
  ...{ Answers: 1, Correct: 0, Incorrect: 1, Timed: 0, LatencySeconds: null, Responses: [] },
  ...more,
});

test('the numbers of several responses are added up', () => {
  const [total, ...others] = questionTotals([
    { Questions: [asked('a', { Answers: 3, Correct: 2, Timed: 2, LatencySeconds: 4 })] },
    { Questions: [asked('a', { Description: 'Where?', Timed: 1, LatencySeconds: 10 })] },
  ]);
  assert.deepEqual(others, []);
  assert.deepEqual(
    total,
    asked('a', { Answers: 4, Correct: 2, Incorrect: 2, Timed: 3, LatencySeconds: 6, Description: 'Where?' }),
  );
});

test('the same name in another unit is another question', () => {
  assert.equal(questionTotals([{ Questions: [asked('a'), asked('a', { UnitID: 'v' })] }]).length, 2);
});

test('answers are added up and sorted by how often they were given', () => {
  const given = (...pairs: [string, number][]) => pairs.map(([Response, Answers]) => ({ Response, Answers }));
  const [total] = questionTotals([
    { Questions: [asked('a', { Responses: given(['x', 2], ['y', 1]) })] },
    { Questions: [asked('a', { Responses: given(['y', 3], ['z', 1]) })] },
  ]);
  assert.deepEqual(total?.Responses, given(['y', 4], ['x', 2], ['z', 1]));
  assert.equal(total?.LatencySeconds, null);
});
