import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextRun, type Times } from './times.ts';

const daily = (timeZone: string, time: string): Times => ({
  ...{ every: 'day', weekday: null, monthDay: null },
  ...{ time, timeZone },
});

function runs(times: Times, from: string, count: number): string[] {
  const found: string[] = [];
  for (let now = new Date(from); found.length < count; ) {
    now = nextRun(times, now);
    found.push(now.toISOString().slice(0, 16));
  }
  return found;
}

test('the time of day stays the same when clocks change', () => {
  assert.deepEqual(runs(daily('Europe/Berlin', '07:00'), '2026-03-27T12:00:00Z', 3), [
    '2026-03-28T06:00',
    '2026-03-29T05:00',
    '2026-03-30T05:00',
  ]);
  assert.deepEqual(runs(daily('Europe/Berlin', '07:00'), '2026-10-24T12:00:00Z', 2), [
    '2026-10-25T06:00',
    '2026-10-26T06:00',
  ]);
});

test('a time that clocks skip moves by as much as they are set forward', () => {
  assert.deepEqual(runs(daily('Europe/Berlin', '02:30'), '2026-03-28T12:00:00Z', 2), [
    '2026-03-29T01:30',
    '2026-03-30T00:30',
  ]);
  // In Lebanon, clocks are set forward at midnight.
  assert.deepEqual(runs(daily('Asia/Beirut', '00:00'), '2026-03-28T12:00:00Z', 2), [
    '2026-03-28T22:00',
    '2026-03-29T21:00',
  ]);
});

test('a time that clocks show twice is used only the first time', () => {
  assert.deepEqual(runs(daily('Europe/Berlin', '02:30'), '2026-10-24T12:00:00Z', 2), [
    '2026-10-25T00:30',
    '2026-10-26T01:30',
  ]);
  assert.deepEqual(runs(daily('America/New_York', '01:30'), '2026-10-31T12:00:00Z', 2), [
    '2026-11-01T05:30',
    '2026-11-02T06:30',
  ]);
  // Between the two, the next run is on the next day.
  assert.deepEqual(runs(daily('Europe/Berlin', '02:30'), '2026-10-25T01:00:00Z', 1), ['2026-10-26T01:30']);
});

test('zones far from UTC, half-hour changes and days that do not exist', () => {
  assert.deepEqual(runs(daily('Pacific/Kiritimati', '00:05'), '2026-01-01T00:00:00Z', 1), [
    '2026-01-01T10:05',
  ]);
  assert.deepEqual(runs(daily('Pacific/Pago_Pago', '23:55'), '2026-01-01T00:00:00Z', 1), [
    '2026-01-01T10:55',
  ]);
  assert.deepEqual(runs(daily('Australia/Lord_Howe', '02:15'), '2026-10-03T12:00:00Z', 2), [
    '2026-10-03T15:45',
    '2026-10-04T15:15',
  ]);
  // Samoa had no 30 December 2011.
  assert.equal(runs(daily('Pacific/Apia', '09:00'), '2011-12-29T00:00:00Z', 3).at(-1), '2011-12-31T19:00');
});

test('weeks run on their weekday, and months on their day or the last day', () => {
  const weekly: Times = { ...daily('Asia/Tokyo', '08:00'), every: 'week', weekday: 1 };
  assert.deepEqual(runs(weekly, '2026-11-28T00:00:00Z', 2), ['2026-11-29T23:00', '2026-12-06T23:00']);
  const monthly: Times = { ...daily('UTC', '06:00'), every: 'month', monthDay: 31 };
  assert.deepEqual(runs(monthly, '2027-12-31T06:00:00Z', 3), [
    '2028-01-31T06:00',
    '2028-02-29T06:00',
    '2028-03-31T06:00',
  ]);
});

test('the next run is always later than now', () => {
  const now = new Date('2026-03-29T01:30:00Z');
  for (const zone of ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Antarctica/Troll'])
    for (let hour = 0; hour < 24; hour++) {
      const time = `${String(hour).padStart(2, '0')}:30`;
      const next = nextRun(daily(zone, time), now);
      assert.ok(next > now && next.getTime() - now.getTime() <= 26 * 3_600_000, `${zone} ${time}`);
    }
});
