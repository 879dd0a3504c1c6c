import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secondsUntilNext } from './undo-calls.ts';

test('An undo pauses before the rate limit is reached, so that the session can make other calls', () => {
  const seconds = (left: number) =>
    secondsUntilNext(
      new Headers({ 'RateLimit-Policy': '"key";q=600;w=60', RateLimit: `"key";r=${left};t=42` }),
    );
  assert.deepEqual([599, 60, 59, 0].map(seconds), [0, 0, 42, 42]);
  assert.equal(secondsUntilNext(new Headers()), 0);
});
