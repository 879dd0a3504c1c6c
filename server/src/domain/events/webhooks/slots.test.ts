import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openSlots } from './claim.ts';

test('an endpoint that finds no free slot queues only once, and tenants take turns', () => {
  const slots = openSlots(2);
  const begun: string[] = [];
  /** Behaves like an endpoint with many deliveries: takes every free slot and waits for more. */
  const endpoint = (tenantId: string, name: string) => {
    const resume = () => {
      while (slots.take(tenantId, resume)) begun.push(name);
    };
    return resume;
  };
  const busy = ['a', 'b', 'c'].map((name) => endpoint('crowded', name));
  for (const resume of busy) resume();
  for (let ended = 0; ended < 1_000; ended++) {
    slots.release();
    busy[0]?.();
  }
  begun.length = 0;
  endpoint('other', 'newcomer')();
  for (let ended = 0; ended < 6; ended++) slots.release();
  assert.deepEqual(begun.filter((name) => name === 'newcomer').length, 3);
  assert.ok(begun.indexOf('newcomer') <= 1, begun.join());
  assert.deepEqual(new Set(begun), new Set(['a', 'b', 'c', 'newcomer']));
});

test('an endpoint with nothing to deliver passes its slot to the next one', () => {
  const slots = openSlots(1);
  assert.ok(slots.take('first', () => {}));
  slots.take('second', () => {});
  let called = 0;
  slots.take('third', () => {
    called++;
  });
  slots.release();
  assert.equal(called, 1);
});

test('a delivery that takes several requests frees its slot between requests', async () => {
  const slots = openSlots(1);
  const order: string[] = [];
  const request = async (name: string) => {
    order.push(name);
    await setImmediate();
  };
  assert.ok(slots.take('long', () => {}));
  const long = (async () => {
    await request('long');
    for (let rest = 0; rest < 3; rest++) {
      await slots.passOn('long');
      await request('long');
    }
    slots.release();
  })();
  const short = async () => {
    await request('short');
    slots.release();
  };
  const whenFree = () => void (slots.take('short', whenFree) && short());
  whenFree();
  await long;
  assert.deepEqual(order, ['long', 'short', 'long', 'long', 'long']);
  assert.ok(
    slots.take('next', () => {}),
    'all slots are free again',
  );
});
