import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addSample, type Positions, timeOf } from './positions.ts';

test('a replica is as recent as the latest sampled position that it has reached', () => {
  const positions: Positions = { samples: [] };
  assert.equal(timeOf(positions, 100), null, 'no samples yet');
  for (const [at, position] of [
    [1_000, 10],
    [2_000, 20],
    [3_000, 20],
    [4_000, 30],
  ] as const)
    addSample(positions, { at, position });
  assert.equal(timeOf(positions, 9), null, 'older than every sample');
  assert.equal(timeOf(positions, 10), 1_000);
  assert.equal(timeOf(positions, 29), 3_000, 'nothing was written for a second');
  assert.equal(timeOf(positions, 31), 4_000);
});

test('only the latest of many simultaneous samples is kept, so that an hour of samples stays small', () => {
  const positions: Positions = { samples: [] };
  for (let at = 0; at < 8_000_000; at += 100) addSample(positions, { at, position: at });
  assert.ok(positions.samples.length <= 2_000);
  assert.equal(timeOf(positions, 8_000_000), 7_999_900);
  assert.ok((timeOf(positions, 7_990_000) ?? 0) >= 7_989_000);
});
