import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilMatching } from '../../../test/support/until.ts';
import { Problem } from '../../lib/errors.ts';
import { openImportQueue } from './load.ts';

test('a queue runs a fixed number of items at a time, counts those waiting, and rejects the rest', async () => {
  const queue = openImportQueue({ running: 2, waiting: 1 });
  const ends: (() => void)[] = [];
  const start = () => queue.run((inTurn) => inTurn(() => new Promise<void>((end) => ends.push(end))));
  const works = [start(), start(), start()];
  await assert.rejects(
    start(),
    (error) => error instanceof Problem && error.status === 503 && error.extras.retryAfter === 30,
  );
  assert.deepEqual([queue.running, queue.waiting], [2, 1]);
  ends[0]?.();
  await works[0];
  await untilMatching(
    () => queue.running,
    (running) => running === 2,
  );
  for (const end of ends) end();
  await Promise.all(works);
  assert.deepEqual([queue.running, queue.waiting], [0, 0]);
});

test('a failed step lets the next one start', async () => {
  const queue = openImportQueue({ running: 1, waiting: 1 });
  const fail = () => queue.run((inTurn) => inTurn(() => Promise.reject(new Error('failed'))));
  await assert.rejects(fail());
  await assert.rejects(fail());
  assert.deepEqual([queue.running, queue.waiting], [0, 0]);
});
