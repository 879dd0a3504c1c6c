import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { type FairQueue, inTurn, openFairQueue, waitingIn } from './fair-queue.ts';

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

/** Work that runs until `end` is called. */
function held(turns: FairQueue, owner: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isRunning = false;
  const ended = inTurn(turns, owner, () => {
    isRunning = true;
    return promise;
  });
  return { end: resolve, ended, isRunning: () => isRunning };
}

test('the last slots are reserved for queues with nothing in use', async () => {
  const turns = openFairQueue({ max: 5, maxPerCaller: 4, maxWaiting: 10, reserved: 2 });
  const of = (owner: string, count: number) => Array.from({ length: count }, () => held(turns, owner));
  const a = of('a', 4);
  const [b, c] = [of('b', 2), of('c', 2)];
  const running = (all: { isRunning: () => boolean }[]) => all.filter(({ isRunning }) => isRunning()).length;
  assert.deepEqual([a, b, c].map(running), [3, 1, 1]);
  for (const { end } of [...a, ...b, ...c]) end();
  await Promise.all([...a, ...b, ...c].map(({ ended }) => ended));
  assert.deepEqual([turns.inUse, turns.callers.size], [0, 0]);
});

test('a queue with slow tasks gets only two slots for a while', async () => {
  const turns = openFairQueue({ max: 8, maxPerCaller: 6, maxWaiting: 10, slowAfter: 20 });
  const first = held(turns, 'slow');
  await delay(30);
  const [second, third] = [held(turns, 'slow'), held(turns, 'slow')];
  const others = Array.from({ length: 6 }, () => held(turns, 'quick'));
  assert.deepEqual(
    [second, third, ...others].map(({ isRunning }) => isRunning()),
    [true, false, true, true, true, true, true, true],
  );
  first.end();
  await first.ended;
  assert.deepEqual([third.isRunning(), held(turns, 'slow').isRunning()], [true, false]);
});
