import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { forTenant } from '../db/queues.ts';
import { transaction } from '../db/transaction.ts';
import { mapInTimeSlices, nextTimeSlice } from './time-slices.ts';

const service = await startService();
after(service.close);
const one = forTenant(service.ctx, 'one');
const other = forTenant(service.ctx, 'other');

/** The number of calls of `work` in this turn of the event loop, and in the turn with the most calls. */
let calls = 0;
let mostCalls = 0;

function work(): void {
  const end = performance.now() + 4;
  while (performance.now() < end);
  mostCalls = Math.max(mostCalls, ++calls);
}

async function whileCounting<T>(done: Promise<T>): Promise<T> {
  let isOver = false;
  mostCalls = 0;
  const watch = () => {
    calls = 0;
    if (!isOver) setImmediate(watch);
  };
  watch();
  return done.finally(() => {
    isOver = true;
  });
}

const items = [0, 1, 2, 3];
const double = (item: number) => {
  work();
  return 2 * item;
};

test('many callers together take no more time in a turn of the event loop than one caller', async () => {
  const results = await whileCounting(
    Promise.all([
      ...Array.from({ length: 20 }, () => mapInTimeSlices(one, items, double)),
      ...Array.from({ length: 20 }, () => nextTimeSlice(one).then(work)),
    ]),
  );
  assert.deepEqual(results[19], [0, 2, 4, 6]);
  assert.ok(mostCalls <= 10, `${mostCalls} of 100 calls in one turn`);
});

test('tenants take turns', async () => {
  const ended: string[] = [];
  const long = Array.from({ length: 10 }, async (_, at) => {
    await mapInTimeSlices(one, items, double);
    ended.push(`one ${at}`);
  });
  const short = Array.from({ length: 3 }, async (_, at) => {
    await nextTimeSlice(other);
    work();
    ended.push(`other ${at}`);
  });
  await Promise.all([...long, ...short]);
  assert.deepEqual(ended.slice(0, 3), ['other 0', 'other 1', 'other 2']);
  assert.equal(ended.length, 13);
});

test('a transaction does not wait for other callers, because they may be waiting for it', async () => {
  let isOver = false;
  const others = Promise.all(Array.from({ length: 20 }, () => mapInTimeSlices(one, items, double))).then(
    () => {
      isOver = true;
    },
  );
  const inside = await transaction(other, (ctx) => mapInTimeSlices(ctx, items, double));
  assert.deepEqual([inside, isOver], [[0, 2, 4, 6], false]);
  await others;
});
