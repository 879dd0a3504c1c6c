import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestDatabase } from '../../test/support/test-database.ts';
import { inBatches, nextBatchSize } from './batches.ts';

test('a batch that takes more than 25 ms halves the batch size, and a quick batch doubles it', () => {
  const next = (rows: number, milliseconds: number) => nextBatchSize(rows, milliseconds, 500);
  assert.deepEqual(
    [next(100, 26), next(100, 20), next(100, 10), next(400, 1), next(1, 1_000)],
    [50, 100, 200, 500, 1],
  );
});

test('no batch follows a batch that is not full', async () => {
  const { engine, db } = await openTestDatabase();
  const sizes: number[] = [];
  let left = 1_000;
  const sum = await inBatches({ db }, 200, async (_, rows) => {
    sizes.push(rows);
    const done = Math.min(rows, left);
    left -= done;
    return done;
  });
  await engine.close();
  assert.equal(sum, 1_000);
  assert.ok(sizes.every((rows) => rows <= 200));
  assert.ok(sizes.slice(0, -1).reduce((one, other) => one + other, 0) <= 1_000);
});
