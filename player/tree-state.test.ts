import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { packState, unpackState } from './tree-state.ts';

test('Packed state is restored, whatever was changed, added or removed', () => {
  const key = fc.string().filter((name) => !['timestamp', 'sequencing', 'suspensionState'].includes(name));
  const state = fc.dictionary(key, fc.jsonValue({ maxDepth: 3 }));
  fc.assert(
    fc.property(state, state, (fresh, now) => {
      const plain = JSON.stringify(fresh);
      const wanted = JSON.stringify(now);
      const packed = packState(plain, wanted);
      assert.deepEqual(JSON.parse(unpackState(plain, packed) ?? ''), JSON.parse(wanted));
    }),
  );
});

test('Only changes are stored', () => {
  const activities = Array.from({ length: 100 }, (_, index) => ({
    id: `a${index}`,
    attempts: 0,
    state: 'unknown',
  }));
  const fresh = JSON.stringify({ activities });
  const taken = activities.map((activity, index) => (index === 7 ? { ...activity, attempts: 1 } : activity));
  const packed = packState(fresh, JSON.stringify({ activities: taken }));
  assert.equal(packed, '{"Version":1,"Changes":{"activities":{"7":{"attempts":[1]}}}}');
});

test('Writing the same state later does not count as a change', () => {
  const at = (timestamp: string) => JSON.stringify({ timestamp, sequencing: { timestamp, current: 'a' } });
  assert.equal(packState(at('now'), at('later')), packState(at('now'), at('much later')));
});

test('Data written by another player is left unchanged', () => {
  for (const packed of ['', 'x', '{}', '{"Version":2,"Changes":{}}'])
    assert.equal(unpackState('{}', packed), null);
});
