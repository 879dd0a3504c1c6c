import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inTurn, openFairQueue, waitingIn } from './fair-queue.ts';

test("tenants are served in turn, however long one tenant's queue is", async () => {
  const turns = openFairQueue({ max: 1, maxPerCaller: 1, maxWaiting: 50 });
  const order: string[] = [];
  const work = (whose: string) =>
    inTurn(turns, whose, async () => {
      order.push(whose);
      await nextTurn();
    });
  const all = [...Array.from({ length: 50 }, () => work('a')), work('b'), work('c'), work('b')];
  assert.equal(waitingIn(turns), 52);
  await Promise.all(all);
  assert.deepEqual(order.slice(0, 6), ['a', 'a', 'b', 'c', 'a', 'b']);
  assert.deepEqual([turns.inUse, turns.callers.size], [0, 0]);
});

test('a full queue rejects work while other queues accept it, and failed work lets the next item start', async () => {
  const turns = openFairQueue({ max: 2, maxPerCaller: 1, maxWaiting: 1 });
  const fail = () => Promise.reject(new Error('failed'));
  const first = inTurn(turns, 'a', fail);
  const second = inTurn(turns, 'a', async () => 'second');
  assert.equal(inTurn(turns, 'a', fail), null);
  assert.equal(await inTurn(turns, 'b', async () => 'at once'), 'at once');
  await assert.rejects(first ?? Promise.resolve(), /failed/);
  assert.equal(await second, 'second');
  assert.deepEqual([turns.inUse, turns.callers.size], [0, 0]);
});

test('work that has waited too long is rejected and leaves the queue', async () => {
  const turns = openFairQueue({ max: 1, maxPerCaller: 1, maxWaiting: 10, longestWait: 20 });
  let end = () => {};
  const first = inTurn(turns, 'a', () => new Promise<void>((resolve) => (end = resolve)));
  let done = false;
  const second = inTurn(turns, 'a', async () => {
    done = true;
  });
  await assert.rejects(second ?? Promise.resolve(), /overloaded/);
  end();
  await first;
  assert.deepEqual([done, turns.inUse, turns.callers.size], [false, 0, 0]);
});
