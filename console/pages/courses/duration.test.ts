import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EnrolOptionChange } from '../../../server/src/domain/catalogue/schemas.ts';
import { maxOf, partsOf, toIso, units } from './duration.ts';

const pattern = new RegExp(
  (EnrolOptionChange.properties.Duration as unknown as { pattern: string }).pattern,
  'u',
);

test('A duration in one unit is written and read back', () => {
  for (const unit of units)
    for (const amount of [0, 1, 30, maxOf(unit)])
      assert.deepEqual(partsOf(toIso({ amount, unit })), [{ amount, unit }]);
});

test('Months and minutes are distinguished', () => {
  assert.equal(toIso({ amount: 6, unit: 'month' }), 'P6M');
  assert.equal(toIso({ amount: 6, unit: 'minute' }), 'PT6M');
});

test('A duration in several units is read in order', () => {
  assert.deepEqual(partsOf('P1Y6MT12H'), [
    { amount: 1, unit: 'year' },
    { amount: 6, unit: 'month' },
    { amount: 12, unit: 'hour' },
  ]);
});

test('The console rejects the same durations as the service', () => {
  const longest = units.map((unit) => toIso({ amount: maxOf(unit), unit }));
  const tooLong = units.map((unit) => toIso({ amount: maxOf(unit) + 1, unit }));
  const texts = ['P', 'PT', 'P1', '30D', 'P1DT', 'P-1D', 'P1.5D', 'p1d', 'P1D1W', ' P1D', 'P1W2D', 'P1DT1H'];
  for (const text of [...longest, ...tooLong, ...texts])
    assert.equal(partsOf(text) !== null, pattern.test(text), text);
});
