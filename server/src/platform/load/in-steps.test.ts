import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapInSteps, nextStep } from './in-steps.ts';

function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('many callers together take no more time in a turn of the event loop than one', async () => {
  let isOver = false;
  let longest = 0;
  let began = performance.now();
  const watch = () => {
    longest = Math.max(longest, performance.now() - began);
    began = performance.now();
    if (!isOver) setImmediate(watch);
  };
  setImmediate(watch);
  const items = Array.from({ length: 4 }, (_, at) => at);
  const double = (item: number) => {
    work(4);
    return 2 * item;
  };
  const results = await Promise.all([
    ...Array.from({ length: 20 }, () => mapInSteps(items, double)),
    ...Array.from({ length: 20 }, () => nextStep().then(() => work(4))),
  ]);
  isOver = true;
  assert.deepEqual(results[19], [0, 2, 4, 6]);
  assert.ok(longest < 100, `${longest} ms, although 400 ms were worked`);
});
