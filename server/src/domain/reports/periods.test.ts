import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayAfter, lengthOf, splitRange } from './periods.ts';

test('weeks begin on Monday, and the first and last period end with the range', () => {
  const range = { from: '2026-10-01', to: '2026-10-14' };
  assert.deepEqual(splitRange(range, 'week', 10), [
    { from: '2026-10-01', to: '2026-10-04' },
    { from: '2026-10-05', to: '2026-10-11' },
    { from: '2026-10-12', to: '2026-10-14' },
  ]);
  assert.equal(lengthOf(range), 14);
});

test('months follow the calendar, in leap years too', () => {
  assert.deepEqual(splitRange({ from: '2023-12-31', to: '2024-03-01' }, 'month', 10), [
    { from: '2023-12-31', to: '2023-12-31' },
    { from: '2024-01-01', to: '2024-01-31' },
    { from: '2024-02-01', to: '2024-02-29' },
    { from: '2024-03-01', to: '2024-03-01' },
  ]);
});

test('a range is split into at most the given number of periods, and an empty range into none', () => {
  assert.equal(splitRange({ from: '2026-01-01', to: '2026-12-31' }, 'day', 7).length, 7);
  assert.deepEqual(splitRange({ from: '2026-01-02', to: '2026-01-01' }, 'day', 7), []);
  assert.equal(dayAfter('2026-03-01', -1), '2026-02-28');
});
