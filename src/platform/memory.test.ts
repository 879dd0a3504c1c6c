import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giveBackMemory } from './memory.ts';

test('what is not needed any more goes back, and the collector stays out of reach', () => {
  let left: number[][] | null = Array.from({ length: 400 }, () =>
    Array.from({ length: 20_000 }, Math.random),
  );
  assert.equal(left.length, 400);
  const before = process.memoryUsage().heapTotal;
  left = null;
  giveBackMemory();
  const after = process.memoryUsage().heapTotal;
  assert.ok(after < before - 50 * 1_048_576, `the heap was ${before} bytes and is ${after}`);
  assert.equal(globalThis.gc, undefined);
});
