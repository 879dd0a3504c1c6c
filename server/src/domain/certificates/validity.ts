import { addPeriods, dayInYear, dayOf, lastSecond } from '../../lib/days.ts';

type Rule = { ValidFor?: string | null; ValidTo?: string | null };

const dayMilliseconds = 86_400_000;

/** The last second of a certificate for a result at this time; null if it never ends. Days are days of the time zone. */
export function endOf({ ValidFor, ValidTo }: Rule, at: Date, timeZone: string): Date | null {
  const day = dayOf(at, timeZone);
  if (ValidFor != null) return lastSecond(addPeriods(day, ValidFor), timeZone);
  if (ValidTo == null) return null;
  const year = Number(day.slice(0, 4));
  const end = dayInYear(year, ValidTo);
  return lastSecond(end >= day ? end : dayInYear(year + 1, ValidTo), timeZone);
}

/** When to report next that a certificate ends: on one of these days before its end, or at its end. */
export function nextNotice(end: Date | null, daysBefore: readonly number[], now: Date): Date | null {
  if (end === null) return null;
  const times = daysBefore.map((days) => end.getTime() - days * dayMilliseconds);
  return new Date(Math.min(end.getTime(), ...times.filter((time) => time > now.getTime())));
}

export const daysUntil = (end: Date, now: Date) =>
  Math.ceil((end.getTime() - now.getTime()) / dayMilliseconds);
