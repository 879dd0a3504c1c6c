import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWarnings } from './warnings.ts';

test('errors come first, and are recorded even after hundreds of other warnings', () => {
  const warnings = createWarnings();
  const warn = warnings.warn('imsmanifest.xml');
  for (let line = 1; line <= 600; line++) warn('note', `note ${line}`, line);
  for (let line = 1; line <= 25; line++) warn('error', `page ${line}`, line, 'missing pages');
  const list = warnings.list();
  assert.equal(list.length, 500 + 21);
  assert.deepEqual(list[0], { Severity: 'error', Message: 'page 1', File: 'imsmanifest.xml', Line: 1 });
  assert.deepEqual(
    list.slice(20, 22).map(({ Severity, Message }) => [Severity, Message]),
    [
      ['error', '5 more of this kind: missing pages.'],
      ['note', 'note 1'],
    ],
  );
});

test('long messages are truncated', () => {
  const warnings = createWarnings();
  warnings.warn('imsmanifest.xml')('note', 'x'.repeat(50_000));
  assert.equal(warnings.list()[0]?.Message.length, 1_000);
});
