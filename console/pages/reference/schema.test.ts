import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { bodyOf, type Document, entriesOf, groupsOf } from './document.ts';
import { exampleRequest } from './request.ts';
import { curlOf, quote } from './samples/curl.ts';
import { rowsOf } from './schema.ts';

const document: Document = JSON.parse(
  readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'),
);
const entries = entriesOf(document);
const ajv = new Ajv2020({ strict: false, unicodeRegExp: true });
formats.default(ajv);

test('every operation has an example that its own schema accepts', () => {
  let checked = 0;
  for (const { operationId, requestBody } of entries) {
    const body = bodyOf(requestBody?.content);
    if (body?.type !== 'application/json') continue;
    const takes = ajv.compile(body.schema);
    assert.ok(takes(body.example), `${operationId}: ${ajv.errorsText(takes.errors)}`);
    checked++;
  }
  assert.ok(checked > 20);
});

test('every field of a record has a row with its permitted values', () => {
  const create = entries.find(({ operationId }) => operationId === 'createUser');
  const rows = rowsOf(bodyOf(create?.requestBody?.content)?.schema ?? {});
  const login = rows.find(({ name }) => name === 'LoginID');
  assert.equal(login?.isRequired, true);
  assert.deepEqual(login?.limits, ['1–255 chars']);
  assert.equal(rows.find(({ name }) => name === 'Email')?.type, 'string | null');
});

/** Parses a command line like a POSIX shell, with single quotes and backslashes only. */
function shellWords(line: string): string[] {
  const word = /(?:'([^']*)'|\\(.)|([^\s'\\]))/gsu;
  const words: string[] = [];
  let last = -1;
  for (const match of line.matchAll(word)) {
    const text = match[1] ?? match[2] ?? match[3] ?? '';
    if (match.index === last && words.length > 0) words[words.length - 1] += text;
    else words.push(text);
    last = match.index + match[0].length;
  }
  return words;
}

test('quoted text reaches the shell as a single, unchanged word', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'binary' }), (text) => {
      assert.deepEqual(shellWords(quote(text)), [text]);
    }),
  );
});

test('every operation has a command line with its method, URL and body', () => {
  for (const entry of entries.filter(({ method }) => method !== 'EVENT')) {
    const request = exampleRequest(entry, 'https://lectern.example');
    const line = curlOf(request);
    assert.doesNotMatch(request.url, /[{}]/, entry.operationId);
    assert.ok(line.includes(request.url), entry.operationId);
    const method = /-X (\w+)/.exec(line)?.[1] ?? (request.body === null ? 'GET' : 'POST');
    assert.equal(method, entry.method);
  }
});

test('the filter matches words in names and paths, and keeps the groups', () => {
  const names = (filter: string) =>
    groupsOf(entries, filter).flatMap(([, items]) => items.map(({ operationId }) => operationId));
  assert.deepEqual(names('post create many /user'), ['createUsers']);
  assert.ok(names('GET /user/{LoginID}').includes('readUser'));
  assert.deepEqual(names('no such words'), []);
  assert.equal(names('').length, entries.length);
});
