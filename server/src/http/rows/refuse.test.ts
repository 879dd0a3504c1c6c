import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/errors.ts';
import { logFailedRows, refuse } from './refuse.ts';

test('a bulk call logs its first failed row and the number of others, and no rejected rows', () => {
  const lines: unknown[][] = [];
  const log = { error: (...line: unknown[]) => void lines.push(line) };
  const failed = logFailedRows(log, 'r1');
  const failure = new Error('the disk is gone');
  const row = (error: unknown) => refuse(failed, { Row: 1, Status: 0 }, error, false);
  assert.equal(row(new Problem('not_found', 'There is no such user.')).Status, 404);
  for (let n = 0; n < 1_000; n++) assert.equal(row(failure).Status, 500);
  failed.end();
  assert.deepEqual(lines, [
    [{ request_id: 'r1', err: failure }, 'a row of a bulk call failed'],
    [{ request_id: 'r1', rows: 999 }, 'more rows of the bulk call failed'],
  ]);
});
