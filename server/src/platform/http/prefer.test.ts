import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedStaleness } from './prefer.ts';

for (const [header, seconds] of [
  [undefined, null],
  ['', null],
  ['stale=5', 5],
  ['stale=0', 0],
  ['STALE = "60"', 60],
  ['respond-async, stale=5; why="a, b", wait=10', 5],
  ['handling="lenient, stale=9", stale=5', 5],
  [['return=minimal', 'stale=7'], 7],
  ['stale=5, stale=60', 5],
  ['stale', null],
  ['stale=', null],
  ['stale=-1', null],
  ['stale=1.5', null],
  ['stale=86401', null],
  ['stale="5', null],
  ['staleness=5', null],
] as const)
  test(`Prefer: ${JSON.stringify(header)} allows ${seconds} s`, () => {
    assert.equal(allowedStaleness(header as string | string[] | undefined), seconds);
  });
