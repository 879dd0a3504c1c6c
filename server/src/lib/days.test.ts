import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addDays,
  addPeriods,
  checkTimeZone,
  type Day,
  dayInYear,
  dayOf,
  daysBetween,
  endOfSentDay,
  firstInstant,
  isDay,
  isMonthAndDay,
  isPeriod,
  lastSecond,
} from './days.ts';
import { Problem } from './errors.ts';

const minute = 60_000;
const dayLength = 1440 * minute;

/** Zones whose midnights are skipped or occur twice, and some that are far from UTC. */
const zones = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'Atlantic/Azores', 'America/Havana', 'Africa/Cairo'],
  ...['America/Santiago', 'Asia/Beirut', 'Pacific/Apia', 'Pacific/Kiritimati', 'Asia/Kathmandu'],
  ...['Australia/Lord_Howe', 'America/St_Johns', 'America/Sao_Paulo', 'Asia/Amman'],
];

const clocks = new Map(
  zones.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }),
  ]),
);
const shown = (at: number, zone: string) => clocks.get(zone)?.format(at) ?? '';

const days = fc
  .integer({ min: Date.parse('2000-01-01') / dayLength, max: Date.parse('2040-01-01') / dayLength })
  .map((count) => new Date(count * dayLength).toISOString().slice(0, 10));

/** The first minute at which clocks show this day or a later one, found by looking at each of them. */
function firstMinute(day: Day, zone: string): number {
  const midnight = Date.parse(day);
  for (let at = midnight - 15 * 60 * minute; ; at += minute) if (shown(at, zone) >= day) return at;
}

/** Days around every change of the clocks in some years, because random days rarely meet one. */
function daysOfChanges(zone: string): Day[] {
  const found: Day[] = [];
  const offset = (at: number) => {
    const text = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).format(at);
    return text.slice(text.indexOf('GMT'));
  };
  for (const year of [2010, 2011, 2018, 2024, 2026]) {
    let before = '';
    for (let at = Date.UTC(year, 0, 1); at < Date.UTC(year + 1, 0, 1); at += dayLength) {
      const now = offset(at);
      if (before !== '' && now !== before)
        for (const days of [-2, -1, 0, 1])
          found.push(new Date(at + days * dayLength).toISOString().slice(0, 10));
      before = now;
    }
  }
  return found;
}

for (const zone of zones)
  test(`days in ${zone} begin at the first instant that clocks show, and end a second before the next`, () => {
    const check = (day: Day) => {
      const first = firstInstant(day, zone).getTime();
      assert.equal(first, firstMinute(day, zone), `${day} ${zone}`);
      assert.equal(lastSecond(day, zone).getTime() + 1_000, firstMinute(addDays(day, 1), zone));
    };
    for (const day of daysOfChanges(zone)) check(day);
    fc.assert(fc.property(days, check), { numRuns: 10 });
  });

test('the day of an instant is what clocks show', () => {
  const at = fc.date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(at, fc.constantFrom(...zones), (at, zone) => {
      assert.equal(dayOf(at, zone), shown(at.getTime(), zone));
      assert.ok(firstInstant(dayOf(at, zone), zone) <= at);
      assert.equal(dayOf(firstInstant(dayOf(at, zone), zone), zone), dayOf(at, zone));
    }),
  );
});

test('a day that a zone skipped ends with the day before', () => {
  const skipped = '2011-12-30';
  assert.equal(firstInstant(skipped, 'Pacific/Apia').toISOString(), '2011-12-30T10:00:00.000Z');
  assert.equal(lastSecond(skipped, 'Pacific/Apia').toISOString(), '2011-12-30T09:59:59.000Z');
});

/** Written with Date alone: the same day of another month, or that month's last. */
function monthsLater(day: Day, months: number): Day {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const last = new Date(Date.UTC(year, month - 1 + months + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(date, last))).toISOString().slice(0, 10);
}

test('periods are counted from the start, and days that a month lacks become its last', () => {
  fc.assert(
    fc.property(days, fc.integer({ min: 1, max: 40 }), fc.integer({ min: -12, max: 12 }), (day, n, times) => {
      assert.equal(addPeriods(day, `P${n}M`, times), monthsLater(day, n * times));
      assert.equal(addPeriods(day, `P${n}Y`, times), monthsLater(day, 12 * n * times));
      assert.equal(addPeriods(day, `P${n}D`, times), addDays(day, n * times));
      assert.equal(addPeriods(day, `P${n}W`, times), addDays(day, 7 * n * times));
      assert.equal(daysBetween(day, addDays(day, n * times)), n * times);
    }),
  );
});

test('leap days, ends of months and years beyond the calendar', () => {
  assert.equal(addPeriods('2024-02-29', 'P1Y'), '2025-02-28');
  assert.equal(addPeriods('2024-02-29', 'P1Y', 4), '2028-02-29');
  assert.equal(addPeriods('2026-01-31', 'P1M'), '2026-02-28');
  assert.equal(addPeriods('2026-01-31', 'P1M', 2), '2026-03-31');
  assert.equal(addPeriods('2026-01-31', 'P9999Y'), '9999-12-31');
  assert.equal(addPeriods('2026-01-31', 'P9999Y', -1), '0001-01-01');
  assert.equal(lastSecond('9999-12-31', 'America/New_York').toISOString(), '9999-12-31T23:59:59.999Z');
  assert.equal(dayInYear(2025, '02-29'), '2025-02-28');
  assert.equal(dayInYear(2028, '02-29'), '2028-02-29');
});

test('what is sent as a day or an instant ends on the last second of that day', () => {
  assert.equal(endOfSentDay('2026-12-31', 'Europe/Berlin').toISOString(), '2026-12-31T22:59:59.000Z');
  const lateInUtc = '2026-12-31T23:30:00Z';
  assert.equal(endOfSentDay(lateInUtc, 'UTC').toISOString(), '2026-12-31T23:59:59.000Z');
  assert.equal(endOfSentDay(lateInUtc, 'Europe/Berlin').toISOString(), '2027-01-01T22:59:59.000Z');
});

test('what is a day, a period and a yearly date', () => {
  for (const day of ['2026-12-31', '2024-02-29', '0001-01-01', '9999-12-31']) assert.ok(isDay(day), day);
  for (const day of ['2026-02-29', '2026-13-01', '0000-12-31', '2026-1-1', '2026-12-31Z', '31.12.2026', ''])
    assert.ok(!isDay(day), day);
  for (const period of ['P1Y', 'P12M', 'P2W', 'P9999D']) assert.ok(isPeriod(period), period);
  for (const period of ['P0D', 'P1Y6M', '-P1D', 'P-1D', 'PT1H', 'P1.5Y', 'P', 'P10000D', 'p1y'])
    assert.ok(!isPeriod(period), period);
  for (const date of ['12-31', '02-29']) assert.ok(isMonthAndDay(date), date);
  for (const date of ['02-30', '13-01', '1-1', '--12-31']) assert.ok(!isMonthAndDay(date), date);
});

test('a time zone is UTC or an IANA name with a slash', () => {
  for (const zone of [...zones, 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'Asia/Kolkata'])
    checkTimeZone(zone);
  const others = [
    '',
    'CET',
    'IST',
    'EST5EDT',
    '+03:00',
    'UTC+3',
    'CET+1',
    'utc',
    '../UTC',
    'berlin',
    '__proto__',
  ];
  for (const zone of [...others, 'Europe/Nowhere', 'Mars/Olympus', 'Europe/Berlin ', 'x'.repeat(64)])
    assert.throws(
      () => checkTimeZone(zone),
      (error) => error instanceof Problem && error.extras.param === 'TimeZone',
      zone,
    );
});
