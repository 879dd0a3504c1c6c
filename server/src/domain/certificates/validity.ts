import { withinYears } from '../../lib/instants.ts';

type Rule = { ValidFor?: string | null; ValidTo?: string | null };

const dayMilliseconds = 86_400_000;
const durationParts = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?$/;

/** Adds calendar months. A day that the month does not have becomes its last day. */
function addMonths(at: Date, months: number): Date {
  const year = at.getUTCFullYear();
  const month = at.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const moved = new Date(at);
  moved.setUTCFullYear(year, month, Math.min(at.getUTCDate(), lastDay));
  return moved;
}

/** When a certificate for a result at this time ends; null if it never does. */
export function endOf({ ValidFor, ValidTo }: Rule, at: Date): Date | null {
  if (ValidFor != null) {
    const parts = durationParts.exec(ValidFor) ?? [];
    const [years = 0, months = 0, weeks = 0, days = 0] = parts.slice(1).map((part) => Number(part ?? 0));
    const moved = addMonths(at, years * 12 + months);
    return withinYears(moved.getTime() + (weeks * 7 + days) * dayMilliseconds);
  }
  return ValidTo == null ? null : nextDay(ValidTo, at);
}

/** The midnight after the next such day of the year. In other years, 29 February becomes the 28th. */
function nextDay(monthAndDay: string, at: Date): Date {
  const [month = 1, day = 1] = monthAndDay.split('-').map(Number);
  const endIn = (year: number) => {
    const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
    return new Date(Date.UTC(year, month - 1, Math.min(day, lastDay) + 1));
  };
  const year = at.getUTCFullYear();
  return endIn(year) > at ? endIn(year) : endIn(year + 1);
}

/** When to report next that a certificate ends: on one of these days before its end, or at its end. */
export function nextNotice(end: Date | null, reminderDays: readonly number[], now: Date): Date | null {
  if (end === null) return null;
  const times = reminderDays.map((days) => end.getTime() - days * dayMilliseconds);
  return new Date(Math.min(end.getTime(), ...times.filter((time) => time > now.getTime())));
}

export const daysUntil = (end: Date, now: Date) =>
  Math.ceil((end.getTime() - now.getTime()) / dayMilliseconds);

/** The day that people call the last one: a certificate that ends at midnight is valid until the day before. */
export const lastDayOf = (end: Date) => new Date(end.getTime() - 1);
