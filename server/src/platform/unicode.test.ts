import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toNfc } from './unicode.ts';

test('text in any script is normalised, up to the length of the longest identifier in its longest form', () => {
  for (const text of ['Zoë', 'Ångström', 'ệ'.repeat(255), '각', 'क़', 'ΐ'.repeat(255), 'של֥וֹם'])
    assert.equal(toNfc(text.normalize('NFD')), text.normalize('NFC'));
});

test('text with more consecutive combining marks than any script uses is left unchanged', () => {
  const marks = (count: number) => `a${'\u0315'.repeat(count - 1)}\u0316`;
  assert.equal(toNfc(marks(30)), marks(30).normalize('NFC'));
  assert.equal(toNfc(marks(31)), marks(31));
});
