import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unitOf } from '../standards/test-support.ts';
import { type AuState, neighbourOf, positionOf } from './au-state.ts';
import type { PlayableUnit } from './units.ts';

const units = ['a', 'b'].map((UnitID) => unitOf({ UnitID, Kind: 'au' }) as PlayableUnit);
const [a, b] = units as [PlayableUnit, PlayableUnit];
const begun: AuState = { units, evidence: {}, current: a, finished: false, refused: false };

test('the learner may open any unit, and move to the previous or next one', () => {
  const { previous, next, choice } = positionOf(begun);
  assert.deepEqual(
    [previous?.may, next?.may, choice('b').may, choice('group').may],
    [false, true, true, false],
  );
  assert.equal(neighbourOf({ ...begun, current: b }, -1), a);
  assert.equal(neighbourOf({ ...begun, current: null }, 1), null);
});

test('a course with one unit has no previous or next unit', () => {
  const { previous, next } = positionOf({ ...begun, units: [a] });
  assert.deepEqual([previous, next], [null, null]);
});

test('the status of a unit is what the service has recorded', () => {
  const results = {
    Completion: 'completed',
    Success: 'failed',
    Score: 10,
    Progress: 100,
    TotalSeconds: 1,
  } as const;
  const { statusOf } = positionOf({ ...begun, evidence: { a: results } });
  assert.deepEqual([statusOf('a'), statusOf('b')], ['failed', 'none']);
});
