import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fittedCourse } from './fitted-courses.ts';

function memory(text: string | null = null) {
  const held = new Map<string, string>(text === null ? [] : [['lectern.fitted', text]]);
  const storage = {
    getItem: (key: string) => held.get(key) ?? null,
    setItem: (key: string, value: string) => void held.set(key, value),
    removeItem: (key: string) => void held.delete(key),
  };
  // The cast is safe: these are the only methods that are used.
  return { held, of: (id: string) => fittedCourse(id, () => storage as unknown as Storage) };
}

test('the choice is remembered for each course, and leaves nothing behind when it is undone', () => {
  const { of, held } = memory();
  of('one').remember(true);
  assert.deepEqual([of('one').isFitted(), of('two').isFitted()], [true, false]);
  of('one').remember(false);
  assert.equal(held.size, 0);
});

test('only the latest 50 courses are remembered', () => {
  const { of } = memory();
  for (let number = 0; number < 60; number++) of(`course ${number}`).remember(true);
  assert.deepEqual([of('course 9').isFitted(), of('course 10').isFitted()], [false, true]);
});

test('a choice that a course has overwritten is ignored', () => {
  for (const text of ['{', '{"a":1}', '[1,null,"one"]', '"one"'])
    assert.equal(memory(text).of('one').isFitted(), text.startsWith('[1'));
});

test('without storage, nothing fails', () => {
  const denied = fittedCourse('one', () => {
    throw new Error('denied');
  });
  denied.remember(true);
  assert.equal(denied.isFitted(), false);
});
