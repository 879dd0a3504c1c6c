import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStorage } from '../server/test/support/memory-storage.ts';
import { openJournal } from './journal.ts';
import type { JournalCopy } from './journal-copy.ts';
import type { JournalEntry } from './journal-entry.ts';

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
  return { journal, listed, storage };
}

test('Commits are kept separately and listed in order', () => {
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

test('A renumbered commit is stored only once', () => {
  const { journal, listed } = opened();
  journal.write(entry(2_000));
  const [renumbered] = journal.renumber([entry(2_000)], -1_997);
  assert.equal(renumbered?.Commit.Number, 3);
  assert.deepEqual(listed(), [['s1', 'a', 3]]);
});

test('Renumbering to higher numbers overwrites no other commit', () => {
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

test('A write that the browser rejects is reported, and damaged entries cause no errors', () => {
  assert.equal(openJournal(() => memoryStorage(3)).write(entry(1)), false);
  const blocked = openJournal(() => {
    throw new Error('SecurityError');
  });
  assert.equal(blocked.write(entry(1)), false);
  assert.deepEqual(blocked.list(), []);
});

test('A malformed entry does not hide others', () => {
  const { journal, listed, storage } = opened();
  journal.write(entry(1));
  const whole = storage.getItem(Object.keys(storage)[0] ?? '') ?? '';
  const malformed = ['not JSON', '', '5', 'null', '[]', '{}', '{"Commit":null}', '{"Commit":{}}'];
  for (const field of ['"Number":1', '"UnitID":"a"', '"Data":{}', '"Session":"s1"', '"KeptAt":0'])
    malformed.push(whole.replace(field, '"x":1'));
  for (const [n, text] of [...malformed, whole].entries()) storage.setItem(`lectern.journal/${n}`, text);
  assert.deepEqual(listed(), [['s1', 'a', 1]]);
  assert.deepEqual(
    openJournal(() => storage)
      .list()
      .map(({ Commit }) => Commit.Number),
    [1],
  );
});

function memoryCopy(): JournalCopy {
  const texts = new Map<string, string>();
  return {
    all: async () => new Map(texts),
    put: (key, text) => void texts.set(key, text),
    remove: (key) => void texts.delete(key),
  };
}

test('Entries that a course removes from local storage are restored and included in the copy for the next page', async () => {
  const [storage, copy] = [memoryStorage(), memoryCopy()];
  const journal = openJournal(() => storage, copy);
  const clear = () => {
    for (const key of Object.keys(storage)) storage.removeItem(key);
  };
  journal.write(entry(1));
  clear();
  assert.equal(journal.holds(entry(1)), false, 'an entry that was removed does not count as kept');
  journal.removed(null);
  assert.equal(journal.holds(entry(1)), true);
  clear();
  const next = openJournal(() => storage, copy);
  await next.load();
  assert.deepEqual(next.list(), [entry(1)]);
  assert.equal(next.holds(entry(1)), true);
  clear();
  next.removed(null);
  assert.equal(next.holds(entry(1)), true, 'including the entries of an earlier page');
  next.forget(entry(1));
  const last = openJournal(() => storage, copy);
  await last.load();
  assert.deepEqual(last.list(), []);
});

test('Entries that another page has sent are not restored', async () => {
  const [storage, copy] = [memoryStorage(), memoryCopy()];
  const sender = openJournal(() => storage, copy);
  sender.write(entry(1));
  const other = openJournal(() => storage, copy);
  await other.load();
  const [key = ''] = Object.keys(storage);
  sender.forget(entry(1));
  other.removed(key);
  assert.deepEqual([other.list(), Object.keys(storage)], [[], []]);
});
