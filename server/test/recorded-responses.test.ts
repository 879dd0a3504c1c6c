import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { routes } from '../src/app/app.ts';
import { codesOf } from '../src/http/describe/describe.ts';
import { errorCodes } from '../src/lib/errors.ts';
import { checkResponses } from './support/recorded-responses.ts';

test('the check distinguishes declared from undeclared responses', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-answers-'));
  const answers = [
    { operation: 'readUser', status: 200, code: null },
    { operation: 'readUser', status: 404, code: 'user_not_found' },
    { operation: 'readUser', status: 404, code: 'course_not_found' },
    { operation: 'readUser', status: 204, code: null },
    { operation: 'readUser', status: 400, code: 'no_such_code' },
  ];
  const lines = answers.map((answer) => JSON.stringify(answer)).join('\n');
  await writeFile(join(folder, '1.jsonl'), lines);
  const { answers: count, undeclared, unseen } = checkResponses(folder);
  assert.equal(count, answers.length);
  assert.deepEqual(undeclared, ['readUser 204', 'readUser course_not_found', 'readUser no_such_code']);
  assert.ok(!unseen.includes('readUser user_not_found'));
  assert.ok(unseen.includes('exportUser user_not_found'));
});

/** Error codes that are returned before a request reaches an operation. */
const beforeOperations = ['headers_too_large', 'method_not_allowed', 'request_timeout'];

test('each error code is declared by an operation, unless it is returned before the operation is known', () => {
  const declared = new Set(routes.flatMap(codesOf));
  const others = Object.keys(errorCodes).filter((code) => ![...declared].some((one) => one === code));
  assert.deepEqual(others.sort(), beforeOperations);
});
