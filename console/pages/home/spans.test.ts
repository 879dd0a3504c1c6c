import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeOf, type DayCount, measures, pointsOf, splitDays, totalsOf } from './spans.ts';

const daysOf = (count: number): DayCount[] =>
  Array.from({ length: count }, (_, n) => ({
    Day: new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10),
    Enrolments: n,
    Starts: 1,
    Completions: n % 2,
  }));

test('totals cover the period and are compared with the preceding period of the same length', () => {
  const [enrolments, starts] = totalsOf(daysOf(60), 30);
  assert.deepEqual(enrolments, { measure: 'Enrolments', now: 1335, before: 435 });
  assert.equal(changeOf({ measure: 'Enrolments', now: 1335, before: 435 }), 900 / 435);
  assert.deepEqual(starts && changeOf(starts), 0);
});

test('no comparison is shown without a complete previous period', () => {
  assert.equal(splitDays(daysOf(59), 30).before, null);
  assert.equal(totalsOf(daysOf(30), 30)[0]?.before, null);
  assert.equal(changeOf({ measure: 'Starts', now: 5, before: null }), null);
  assert.equal(changeOf({ measure: 'Starts', now: 5, before: 0 }), null);
});

test('a year is shown in weeks that together cover every day', () => {
  const days = daysOf(365);
  const points = pointsOf(days, 365);
  assert.equal(points.length, 52);
  assert.deepEqual([points[0]?.days, points[1]?.days, points.at(-1)?.days], [8, 7, 7]);
  assert.equal(points[1]?.Day, '2026-01-09');
  for (const measure of measures) {
    const shown = points.reduce((total, point) => total + point[measure], 0);
    assert.equal(shown, totalsOf(days, 365).find((total) => total.measure === measure)?.now);
  }
  assert.equal(pointsOf(daysOf(90), 90).length, 90);
});
