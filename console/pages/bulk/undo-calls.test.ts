import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Created, rowsToUndo, type UndoRow } from './created.ts';
import { plannedOutcomes, secondsUntilNext } from './undo-calls.ts';

test('An undo pauses before the rate limit is reached, so that the session can make other calls', () => {
  const seconds = (left: number) =>
    secondsUntilNext(
      new Headers({ 'RateLimit-Policy': '"key";q=600;w=60', RateLimit: `"key";r=${left};t=42` }),
    );
  assert.deepEqual([599, 60, 59, 0].map(seconds), [0, 0, 42, 42]);
  assert.equal(secondsUntilNext(new Headers()), 0);
});

const imported = (id: string, subject: Created['subject'], rows: Created['rows']): Created => ({
  ...{ id, subject, rows, viewer: 'ada', tenant: null, name: `${subject}.csv`, at: 0 },
  ...{ removed: { users: 0, enrolments: 0 }, isUndoing: false },
});

test('Undoing an import of users begins with the enrolments that were imported for them', () => {
  const users = imported('1', 'users', [['ann'], ['bo']]);
  const enrolments = imported('2', 'enrolments', [
    ['bo', 'e1'],
    ['cy', 'e2'],
  ]);
  const ids = (rows: UndoRow[]) =>
    rows.map(({ importId, loginId, enrollId }) => `${importId} ${enrollId ?? loginId}`);
  assert.deepEqual(ids(rowsToUndo(users, [enrolments, users])), ['2 e1', '1 ann', '1 bo']);
  assert.deepEqual(ids(rowsToUndo(enrolments, [enrolments, users])), ['2 e1', '2 e2']);
});

test('A plan erases a user whose enrolments it withdraws, unless another enrolment remains', () => {
  const rowOf = (loginId: string, enrollId: string | null = null) => ({ importId: '1', loginId, enrollId });
  const rows = [
    ...[rowOf('ann', 'e1'), rowOf('bo', 'e2'), rowOf('bo', 'e3'), rowOf('di', 'e4')],
    ...[rowOf('ann'), rowOf('bo'), rowOf('cy'), rowOf('di')],
  ];
  const outcomes = ['removed', 'removed', 'changed', 'removed', 'enrolled', 'enrolled', 'enrolled', 'used'];
  assert.deepEqual(plannedOutcomes(rows, outcomes).slice(4), ['removed', 'enrolled', 'enrolled', 'used']);
});
