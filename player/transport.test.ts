import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitRejections, sessionEnds } from '../server/src/domain/enrolments/run-time/progress-cache.ts';
import { errorCodes } from '../server/src/lib/errors.ts';
import type { Receipt } from './contract.ts';
import { isFinalRejection, isSessionEnd } from './messages.ts';
import { answerOf } from './transport.ts';

const commit = { Number: 3, UnitID: 'a', Data: {} };
const receipt: Receipt = {
  Number: 3,
  Status: 'completed',
  Completion: 'completed',
  Success: 'unknown',
  Score: null,
  Progress: 100,
  Ended: null,
};
const json = (status: number, body: unknown, type = 'application/json; charset=utf-8') =>
  answerOf({ status, type, text: JSON.stringify(body) }, commit);
const problem = (status: number, code: string, more = {}) =>
  json(status, { code, ...more }, 'application/problem+json; charset=utf-8');

test('only a well-formed receipt for the same commit confirms the commit', () => {
  assert.deepEqual(json(200, receipt), { kind: 'receipt', receipt });
  const { Ended: _, ...older } = receipt;
  for (const body of [
    { ...receipt, Number: 2 },
    { Number: 3 },
    { ...receipt, Score: '1' },
    older,
    [],
    3,
    null,
  ])
    assert.equal(json(200, body).kind, 'unconfirmed', JSON.stringify(body));
});

test("a proxy's response never confirms a commit", () => {
  const page = '<!doctype html><title>Sign in</title>';
  for (const status of [
    0, 200, 204, 302, 400, 401, 403, 404, 405, 408, 409, 410, 413, 414, 422, 429, 431, 451, 500, 502, 503,
  ])
    for (const [type, text] of [
      ['text/html', page],
      [null, ''],
      ['application/json', '{"error":"forbidden","code":"enrolment_withdrawn"}'],
      ['application/problem+json', '{"title":"Forbidden","status":403}'],
      ['application/problem+json', page],
      ['application/json', '"enrolment_withdrawn"'],
    ] as const)
      assert.equal(answerOf({ status, type, text }, commit).kind, 'unconfirmed', `${status} ${type} ${text}`);
});

test('only error codes listed by the service are final, and the player knows all of them', () => {
  for (const [code, [status]] of Object.entries(errorCodes)) {
    const response = problem(status, code);
    const expected = Object.hasOwn(commitRejections, code) ? 'rejected' : 'unconfirmed';
    assert.equal(response.kind, expected, code);
    assert.equal(isFinalRejection(code), expected === 'rejected', code);
    assert.equal(isSessionEnd(code), Object.hasOwn(sessionEnds, code), code);
  }
  for (const code of ['toString', '__proto__', 'constructor'])
    assert.equal(problem(403, code).kind, 'unconfirmed');
});

test('the response to a number that is too far ahead contains the expected number', () => {
  assert.deepEqual(problem(409, 'commit_number_ahead', { Expected: 7 }), { kind: 'ahead', expected: 7 });
  assert.equal(problem(409, 'commit_number_ahead').kind, 'unconfirmed');
  assert.equal(problem(409, 'commit_base_unknown').kind, 'unconfirmed', 'this commit has all data');
});

test('a rejected commit may be sent again later, and without a connection all commits wait', () => {
  for (const status of [401, 403, 404, 413, 422])
    assert.deepEqual(json(status, {}), { kind: 'unconfirmed', temporarilyRejected: true });
  for (const status of [0, 200, 408, 429, 500, 503])
    assert.deepEqual(json(status, {}), { kind: 'unconfirmed', temporarilyRejected: false });
});
