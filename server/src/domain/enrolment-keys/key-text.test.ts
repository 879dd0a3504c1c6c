import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newKey, readKey, showKey } from './key-text.ts';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const mistyped = { code: 'key_mistyped' };

test('a key is accepted in any notation that people type', () => {
  for (let n = 0; n < 200; n++) {
    const key = newKey();
    assert.match(key, /^[0-9A-HJKMNP-TV-Z]{20}$/);
    const shown = showKey(key);
    assert.match(shown, /^\w{5}-\w{5}-\w{5}-\w{5}$/);
    for (const typed of [
      shown,
      key.toLowerCase(),
      ` ${shown.replaceAll('-', ' ')} `,
      shown.replaceAll('-', '–'),
      key.replaceAll('0', 'O').replaceAll('1', 'I'),
      key.replaceAll('0', 'o').replaceAll('1', 'l'),
    ])
      assert.equal(readKey(typed), key);
  }
});

test('one wrong character is always detected', () => {
  const key = newKey();
  for (let at = 0; at < key.length; at++)
    for (const other of alphabet.replace(key[at] ?? '', ''))
      assert.throws(() => readKey(key.slice(0, at) + other + key.slice(at + 1)), mistyped);
});

test('two swapped characters are always detected', () => {
  const place = fc.integer({ min: 0, max: 19 });
  fc.assert(
    fc.property(place, place, (a, b) => {
      const key = newKey();
      const swapped = [...key];
      [swapped[a], swapped[b]] = [swapped[b] ?? '', swapped[a] ?? ''];
      if (swapped.join('') !== key) assert.throws(() => readKey(swapped.join('')), mistyped);
    }),
  );
});

test('text that is too short, too long or contains invalid characters is reported as mistyped', () => {
  const key = newKey();
  for (const typed of [
    '',
    '-',
    key.slice(1),
    `${key}0`,
    `U${key.slice(1)}`,
    `ß${key.slice(1)}`,
    `😀${key.slice(1)}`,
  ])
    assert.throws(() => readKey(typed), mistyped);
});
