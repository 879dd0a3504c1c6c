import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Weakness, weaknessOf } from './password-rules.ts';

test('short, simple and personal passwords are rejected, and passphrases in any script are accepted', () => {
  const passwords: Record<string, Weakness | null> = {
    'correct-11c': 'short',
    '🐴🐴🐴🐴🐴🐴': 'short',
    aaaaaaaaaaaa: 'simple',
    '123456789012': 'simple',
    abcdefghijklm: 'simple',
    'Password1234!': 'simple',
    'Motdepasse!!!!': 'simple',
    'Ada Lovelace 12': 'personal',
    'lovelace-acme-2': 'personal',
    'correct horse battery': null,
    'vierzehn Elefanten': null,
    十二個の言葉でできた合言葉: null,
    '7f3-K9q-Zp2-Lw8': null,
  };
  const words = ['Ada', 'Lovelace', 'Acme', null];
  for (const [password, weakness] of Object.entries(passwords))
    assert.equal(weaknessOf(password, words), weakness, password);
});
