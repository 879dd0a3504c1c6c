import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStorage } from '../../test/support/memory-storage.ts';
import { type JournalEntry, openJournal } from './journal.ts';

const entry = (number: number, UnitID = 'a', Session = 's1'): JournalEntry => ({
  EnrollID: 'e',
  Session,
  CourseTitle: 'Course',
  KeptAt: 0,
  Commit: { Number: number, UnitID, Data: {} },
});

function opened() {
  const storage = memoryStorage();
  const journal = openJournal(() => storage);
  const listed = () => journal.list().map(({ Session, Commit }) => [Session, Commit.UnitID, Commit.Number]);
  return { journal, listed };
}

test('Each commit is kept on its own and listed in order', () => {
  const { journal, listed } = opened();
  for (const each of [entry(4, 'b'), entry(2), entry(10), entry(1, 'a', 's0')])
    assert.equal(journal.write(each), true);
  assert.deepEqual(listed(), [
    ['s0', 'a', 1],
    ['s1', 'a', 2],
    ['s1', 'b', 4],
    ['s1', 'a', 10],
  ]);
});

test('A receipt removes only its own commit', () => {
  const { journal, listed } = opened();
  journal.write(entry(2));
  journal.write(entry(3));
  journal.forget(entry(1));
  journal.forget(entry(3));
  assert.deepEqual(listed(), [['s1', 'a', 2]]);
});

test('A renumbered commit is stored once', () => {
  const { journal, listed } = opened();
  journal.write(entry(2_000));
  const [renumbered] = journal.renumber([entry(2_000)], -1_997);
  assert.equal(renumbered?.Commit.Number, 3);
  assert.deepEqual(listed(), [['s1', 'a', 3]]);
});

test('Renumbering upwards overwrites no other commit', () => {
  const { journal, listed } = opened();
  const entries = [1, 2, 3].map((number) => entry(number));
  for (const each of entries) journal.write(each);
  journal.renumber(entries, 1);
  assert.deepEqual(listed(), [
    ['s1', 'a', 2],
    ['s1', 'a', 3],
    ['s1', 'a', 4],
  ]);
});

test('A browser that refuses is said so, and damaged notes harm nobody', () => {
  assert.equal(openJournal(() => memoryStorage(3)).write(entry(1)), false);
  const blocked = openJournal(() => {
    throw new Error('SecurityError');
  });
  assert.equal(blocked.write(entry(1)), false);
  assert.deepEqual(blocked.list(), []);
  const storage = memoryStorage();
  storage.setItem('lectern.journal/x', 'not JSON');
  assert.deepEqual(openJournal(() => storage).list(), []);
});
