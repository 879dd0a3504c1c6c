import { Temporal } from 'temporal-polyfill';
import { invalid } from './errors.ts';
import { withinYears } from './instants.ts';

/**
 * Calendar days and periods. All of it is computed here and none in SQL, because PostgreSQL and the libraries disagree
 * about local days whose first hour occurs twice or not at all. Terms are computed on days, instants come last.
 */

/** A calendar day without a time zone, such as 2026-12-31. Days compare as text. */
export type Day = string;

const firstDay = '0001-01-01';
const lastDay = '9999-12-31';

export const dayPattern = '^\\d{4}-\\d\\d-\\d\\d$';
const dayShape = new RegExp(dayPattern);

/** Whether the text is a day of the years 1–9999. 30 February is not. */
export function isDay(text: string): boolean {
  if (!dayShape.test(text) || text < firstDay) return false;
  try {
    return Temporal.PlainDate.from(text).toString() === text;
  } catch {
    return false;
  }
}

/** An ISO 8601 period of one unit: years, months, weeks or days. */
export const periodPattern = '^P[1-9]\\d{0,3}[YMWD]$';
const periodShape = /^P([1-9]\d{0,3})([YMWD])$/;
const units = { Y: 'years', M: 'months', W: 'weeks', D: 'days' } as const;

export const isPeriod = (text: string): boolean => periodShape.test(text);

function readPeriod(period: string): { count: number; unit: (typeof units)[keyof typeof units] } {
  const [, count, letter] = periodShape.exec(period) ?? [];
  if (letter === undefined) throw new RangeError(`${JSON.stringify(period)} is not a period such as P1Y.`);
  return { count: Number(count), unit: units[letter as keyof typeof units] };
}

const toDay = (day: Temporal.PlainDate): Day =>
  day.year > 9999 ? lastDay : day.year < 1 ? firstDay : day.toString();

/**
 * The day `times` periods after `start`, or before it if `times` is negative. A day that the month lacks becomes the
 * last of that month. Count from the first start rather than from the previous result: 31 January, 28 February, 31 March.
 */
export function addPeriods(start: Day, period: string, times = 1): Day {
  const { count, unit } = readPeriod(period);
  return toDay(Temporal.PlainDate.from(start).add({ [unit]: count * times }));
}

/** `count` may be negative. */
export function addDays(start: Day, count: number): Day {
  return toDay(Temporal.PlainDate.from(start).add({ days: count }));
}

/** How many days `to` is after `from`; negative if it is earlier. */
export function daysBetween(from: Day, to: Day): number {
  return Temporal.PlainDate.from(from).until(to, { largestUnit: 'days' }).days;
}

/** The day of this year on which a yearly date such as `02-29` falls: in other years, on the last of February. */
export function dayInYear(year: number, monthAndDay: string): Day {
  const [month = 1, day = 1] = monthAndDay.split('-').map(Number);
  return toDay(Temporal.PlainDate.from({ year, month, day }, { overflow: 'constrain' }));
}

/** Whether it is a month and a day that some year has, such as `12-31` or `02-29`. */
export const isMonthAndDay = (text: string): boolean => /^\d\d-\d\d$/.test(text) && isDay(`2024-${text}`);

/**
 * Whether it is `UTC` or a name with a slash from the IANA database. Short names such as CET or IST mean different times
 * in different databases.
 */
export function isTimeZone(name: string): boolean {
  if (name === 'UTC') return true;
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)+$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export function checkTimeZone(timeZone: string): void {
  if (isTimeZone(timeZone)) return;
  throw invalid(
    'TimeZone',
    `The time zone ${JSON.stringify(timeZone)} is unknown. Send UTC or a name with a slash from the IANA database, such as Europe/Berlin.`,
  );
}

/** The day that clocks in the zone show at this time. */
export function dayOf(at: Date, timeZone: string): Day {
  return toDay(
    Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).toPlainDate(),
  );
}

/** The first instant of the day, even if clocks skip midnight or show it twice. */
export function firstInstant(day: Day, timeZone: string): Date {
  return withinYears(Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds);
}

/** The second before the next day begins. On a day that the zone skipped, the last second of the day before. */
export function lastSecond(day: Day, timeZone: string): Date {
  const next = Temporal.PlainDate.from(day).add({ days: 1 }).toZonedDateTime(timeZone);
  return withinYears(next.epochMilliseconds - 1_000);
}

/**
 * The last second of the day that was sent, which is a day or an RFC 3339 instant. An instant counts as the day on which
 * it falls in the zone.
 */
export function endOfSentDay(sent: string, timeZone: string): Date {
  return lastSecond(isDay(sent) ? sent : dayOf(new Date(sent), timeZone), timeZone);
}
