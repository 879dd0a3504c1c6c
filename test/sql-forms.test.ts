import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

// The rule is in CONTRIBUTING.md, under "SQL".
const root = join(import.meta.dirname, '..');
const sources = globSync('server/src/**/*.ts', { cwd: root })
  .filter((file) => !/\.test\.ts$|test-(support|database)/.test(file))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

test('a complete SQL statement is run with run()', () => {
  for (const { file, text } of sources)
    assert.doesNotMatch(text, /\.execute\([^)]/, `${file} executes a statement of the sql tag`);
});

test("Kysely joins tables only in a record's select function, and service functions add conditions to it", () => {
  for (const { file, text } of sources)
    if (/\.(inner|left)Join\(/.test(text)) assert.match(text, /function select[A-Z]\w+\(/, file);
});

test('Kysely sets and selects only columns and values; expressions are written as SQL text', () => {
  for (const { file, text } of sources)
    assert.doesNotMatch(text, /\.case\(|\.fn\.(?!any\b)\w+/, `${file} has an expression`);
});

test('statements that Kysely can express are not written as text', () => {
  const literal = /`([^`]*)`|'((?:select|update|delete) [^']*)'/g;
  const isExpression = /[(*+|]|::|\$\{|\b(join|using|union|distinct)\b/;
  for (const { file, text } of sources) {
    if (!/\brun(<[^(]*>)?\(/.test(text)) continue;
    for (const [, template = '', quoted = ''] of text.matchAll(literal)) {
      const statement = (template || quoted).replaceAll(/\s+/g, ' ').trim();
      const isPlain =
        /^(select .* from|update|delete from) /.test(statement) && !isExpression.test(statement);
      assert.ok(!isPlain, `${file} has one table, columns and values only; use Kysely for: ${statement}`);
    }
  }
});
