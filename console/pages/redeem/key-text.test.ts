import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compactKey, groupedKey } from './key-text.ts';

test('a key is found in pasted text and shown in groups of five', () => {
  for (const typed of [
    '7KQ4M-0XB2N-ZZ01Y-9ABCD',
    ' 7kq4m 0xb2n zz01y 9abcd\n',
    '7KQ4M–0XB2N—ZZ01Y_9ABCD.',
    '“7KQ4M0XB2NZZ01Y9ABCD”',
  ]) {
    assert.equal(compactKey(typed), '7KQ4M0XB2NZZ01Y9ABCD', typed);
    assert.equal(groupedKey(compactKey(typed)), '7KQ4M-0XB2N-ZZ01Y-9ABCD', typed);
  }
  for (const typed of ['', ' - ', '..', '/']) assert.equal(compactKey(typed), '', typed);
  assert.equal(groupedKey('7KQ4M0'), '7KQ4M-0');
});
