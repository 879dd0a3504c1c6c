import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addRange, readRanges, shareOf, writeRanges } from './ranges.ts';

test('parts that touch or overlap become one', () => {
  const seen = addRange(addRange([], 0, 10), 10.2, 20);
  assert.deepEqual(seen, [[0, 20]]);
  assert.deepEqual(addRange(seen, 40, 50), [
    [0, 20],
    [40, 50],
  ]);
  assert.deepEqual(addRange(addRange(seen, 40, 50), 5, 45), [[0, 50]]);
  assert.deepEqual(addRange(seen, 7, 7), seen);
});

test('jumping to the end is not watching', () => {
  assert.equal(shareOf(addRange([[0, 10]], 90, 100), 100), 0.2);
  assert.equal(shareOf([[0, 99.8]], 100), 1);
  assert.equal(shareOf([[0, 120]], 100), 1);
  assert.equal(shareOf([], 0), 0);
});

test('the text form is read back, and anything else is ignored', () => {
  const seen = [
    [0, 12.5],
    [20, 30],
  ] as const;
  assert.deepEqual(readRanges(writeRanges(seen)), seen);
  for (const text of ['', 'x', '5', '5-1', 'a-b']) assert.deepEqual(readRanges(text), []);
});
