import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPreferences } from './preferences.ts';

const json = 'application/json';
const both = { languagePreference: 'en-US,fr-FR, fr', audioPreference: 'on' };

test('very long preferences are rejected', () => {
  const languagePreference = Array.from({ length: 2_000_000 }, () => 'a').join(',');
  assert.equal(isPreferences(json, JSON.stringify({ ...both, languagePreference })), false);
});

test('preferences are a JSON object with languages and audio (section 11)', () => {
  assert.equal(isPreferences(json, JSON.stringify(both)), true);
  assert.equal(isPreferences('application/json; charset=utf-8', JSON.stringify({ ...both, more: 1 })), true);
  for (const [type, text] of [
    ['text/plain', JSON.stringify(both)],
    [undefined, JSON.stringify(both)],
    [json, 'text'],
    [json, 'null'],
    [json, '[]'],
    [json, JSON.stringify({ ...both, languagePreference: '' })],
    [json, JSON.stringify({ ...both, languagePreference: 'not comma separated' })],
    [json, JSON.stringify({ languagePreference: 'en' })],
    [json, JSON.stringify({ ...both, audioPreference: 'loud' })],
  ])
    assert.equal(isPreferences(type, text), false, text);
});
