import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { catalogues, languageFor } from './messages.ts';

/** Lists the path of every text. A function is listed with its number of parameters. */
function shape(texts: object, above = ''): string[] {
  return Object.entries(texts).flatMap(([key, value]: [string, unknown]) => {
    if (typeof value === 'function') return [`${above}${key}(${value.length})`];
    if (value !== null && typeof value === 'object') return shape(value, `${above}${key}.`);
    assert.ok(value === null || (typeof value === 'string' && value.trim() !== ''), `${above}${key}`);
    // Renaming an identifier everywhere can change a text, too.
    if (value !== null) assert.doesNotMatch(value.replace('LinkedIn', ''), /[a-z][A-Z]/, `${above}${key}`);
    return [`${above}${key}${value === null ? ': null' : ''}`];
  });
}

for (const [name, { course, preview, review }] of Object.entries(catalogues))
  test(`the player's texts in ${name} have the same keys as the English ones`, () => {
    assert.deepEqual(shape(course), shape(catalogues.en.course));
    assert.deepEqual(shape(preview), shape(catalogues.en.preview));
    assert.deepEqual(shape(review), shape(catalogues.en.review));
  });

test('the player supports the same languages as the console', () => {
  const source = readFileSync(new URL('../console/shell/intl.tsx', import.meta.url), 'utf8');
  for (const name of Object.keys(catalogues)) assert.match(source, new RegExp(`\\b${name}: \\{`));
});

test("the player uses the course's language, then the browser's, then English", () => {
  assert.equal(languageFor(['de-AT', 'en']), 'de');
  assert.equal(languageFor(['ja', 'FR-ca', 'en']), 'fr');
  assert.equal(languageFor(['ja']), 'en');
  assert.equal(languageFor(['__proto__', 'constructor']), 'en');
  assert.equal(languageFor([]), 'en');
});
