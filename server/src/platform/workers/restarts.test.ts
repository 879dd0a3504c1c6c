import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterEnd, noRestarts, shouldGiveUp } from './restarts.ts';

test('a worker that has run for a while is replaced immediately, and a worker that keeps failing is replaced after ever longer pauses', () => {
  assert.deepEqual(afterEnd({ early: 7, unstarted: 3 }, 10_000), { restarts: noRestarts, pause: 0 });
  let restarts = noRestarts;
  const pauses = Array.from({ length: 9 }, () => {
    const next = afterEnd(restarts, 100);
    restarts = next.restarts;
    return next.pause;
  });
  assert.deepEqual(pauses, [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

test('after five failed starts in a row, the node gives up, unless a worker is serving or has served since', () => {
  let restarts = noRestarts;
  for (let time = 0; time < 4; time++) restarts = afterEnd(restarts, null).restarts;
  assert.equal(shouldGiveUp(restarts, 0), false);
  assert.equal(shouldGiveUp(afterEnd(restarts, null).restarts, 0), true);
  assert.equal(shouldGiveUp(afterEnd(restarts, null).restarts, 1), false);
  assert.equal(shouldGiveUp(afterEnd(restarts, 10).restarts, 0), false);
});
