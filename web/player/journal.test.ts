import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JournalEntry, openJournal } from './journal.ts';

function memory(limit = Number.POSITIVE_INFINITY): Storage {
  const items = new Map<string, string>();
  const methods = {
    getItem: (key: string) => items.get(key) ?? null,
    removeItem: (key: string) => void items.delete(key),
    setItem(key: string, value: string) {
      if (value.length > limit) throw new Error('full');
      items.set(key, value);
    },
  };
  // The browser's storage lists its keys as its own properties.
  return new Proxy(methods, {
    ownKeys: () => [...items.keys()],
    getOwnPropertyDescriptor: () => listed,
  }) as never;
}
const listed = { enumerable: true, configurable: true };

const entry = (number: number, UnitID = 'a', Session = 's1'): JournalEntry => ({
  EnrollID: 'e',
  Session,
  CourseTitle: 'Course',
  Commit: { Number: number, UnitID, Data: {} },
});

test('The latest commit of each unit and session is kept, in order', () => {
  const storage = memory();
  const journal = openJournal(() => storage);
  for (const each of [entry(4, 'b'), entry(2), entry(3), entry(1, 'a', 's0')])
    assert.equal(journal.write(each), true);
  assert.deepEqual(
    journal.list().map(({ Session, Commit }) => [Session, Commit.UnitID, Commit.Number]),
    [
      ['s0', 'a', 1],
      ['s1', 'a', 3],
      ['s1', 'b', 4],
    ],
  );
});

test('A receipt does not make a newer commit forgotten', () => {
  const storage = memory();
  const journal = openJournal(() => storage);
  journal.write(entry(2));
  journal.forget(entry(1));
  assert.equal(journal.list().length, 1);
  journal.forget(entry(2));
  assert.equal(journal.list().length, 0);
});

test('A browser that refuses is said so, and damaged notes harm nobody', () => {
  assert.equal(openJournal(() => memory(3)).write(entry(1)), false);
  const blocked = openJournal(() => {
    throw new Error('SecurityError');
  });
  assert.equal(blocked.write(entry(1)), false);
  assert.deepEqual(blocked.list(), []);
  const storage = memory();
  storage.setItem('lectern.journal/x', 'not JSON');
  assert.deepEqual(openJournal(() => storage).list(), []);
});
