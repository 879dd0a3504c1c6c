import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secondsIn, timespan12, timespan2004 } from './clock.ts';

test('Both time notations are read and written', () => {
  for (const seconds of [0, 59, 60, 3_599, 3_600, 90_061, 359_999]) {
    assert.equal(secondsIn(timespan12(seconds)), seconds);
    assert.equal(secondsIn(timespan2004(seconds)), seconds);
  }
  assert.equal(secondsIn('00:01:02.50'), 62.5);
  assert.equal(secondsIn('P1DT2H'), 93_600);
  assert.equal(secondsIn('PT0.25S'), 0.25);
  for (const text of [undefined, '', 'soon', '1:2']) assert.equal(secondsIn(text), 0);
});
