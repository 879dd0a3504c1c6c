import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cleanText, fold, foldCase, toNfc } from './unicode.ts';

test('text in any script is normalised, up to the length of the longest identifier in its longest form', () => {
  for (const text of ['Zoë', 'Ångström', 'ệ'.repeat(255), '각', 'क़', 'ΐ'.repeat(255), 'של֥וֹם'])
    assert.equal(toNfc(text.normalize('NFD')), text.normalize('NFC'));
});

test('text with more consecutive combining marks than any script uses is left unchanged', () => {
  const marks = (count: number) => `a${'\u0315'.repeat(count - 1)}\u0316`;
  assert.equal(toNfc(marks(30)), marks(30).normalize('NFC'));
  assert.equal(toNfc(marks(31)), marks(31));
});

const piece = fc.oneof(
  fc.constantFrom(
    ...'\u200b\u200c\u200d\u202e\u2066\ufeff\u00ad\ufe0f\u0301\u0308\u034f\u3164 eÅΣς\u0130\u0131ß',
  ),
  fc.constantFrom('\u{e0041}', '👩‍👩‍👧', '❤️‍🔥', 'علی‌رضا', 'न्‍', '한', '\u1112\u1161\u11ab', 'ﬁ', '１'),
  fc.string({ unit: 'grapheme', maxLength: 3 }),
);
const text = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''));

test('cleaned text is in NFC, has no blanks around it, and is not changed again', () => {
  fc.assert(
    fc.property(text, (text) => {
      const clean = cleanText(text);
      assert.equal(cleanText(clean), clean);
      assert.equal(clean, clean.normalize('NFC').trim());
      assert.equal(cleanText(text.normalize('NFD')), clean);
      assert.doesNotMatch(clean, /[\u200b\u202a-\u202e\u2060-\u206f\ufeff\u00ad\u3164]/);
    }),
    { numRuns: 3_000 },
  );
});

test('joiners stay where scripts and emoji need them, and are removed elsewhere', () => {
  for (const kept of ['👩‍👩‍👧', '❤️‍🔥', 'علی‌رضا', 'न्‍', '👍🏽', '葛󠄀']) assert.equal(cleanText(kept), kept);
  for (const hidden of ['an\u200dn', 'a\u200cnn', 'ann\ufe0f', 'e\u0301\u200d', '1\ufe0f2'])
    assert.doesNotMatch(cleanText(hidden), /\u200c|\u200d|\ufe0f/);
});

test('folded text ignores case, accents and normalisation form, and is not changed again', () => {
  fc.assert(
    fc.property(text, (text) => {
      const folded = fold(text);
      assert.equal(fold(folded), folded);
      assert.equal(fold(text.normalize('NFD')), folded);
      assert.equal(foldCase(foldCase(text)), foldCase(text));
    }),
    { numRuns: 3_000 },
  );
  for (const [one, other] of [
    ['ÜBER UNS', 'u\u0308ber uns'],
    ['Über', 'uber'],
    ['БЕЗОПАСНОСТЬ', 'безопасность'],
    ['INFO', 'info'],
    ['İstanbul', 'istanbul'],
    ['IŞIK', 'ışık'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
    ['STRASSE', 'straße'],
    ['Łódź', 'lodz'],
  ] as const)
    assert.equal(fold(one), fold(other));
  assert.equal(foldCase('INFO@Ü.example'), foldCase('info@ü.EXAMPLE'));
  assert.notEqual(foldCase('muller@x.example'), foldCase('müller@x.example'));
});
