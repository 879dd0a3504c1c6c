import {
  addDays,
  addPeriods,
  type Day,
  dayInYear,
  dayOf,
  daysBetween,
  firstInstant,
  lastSecond,
} from '../../lib/days.ts';
import type { Rule } from './schemas.ts';

/** Terms are counted in days of the tenant's time zone; instants come last. */

type Terms = Pick<
  Rule,
  'ValidFor' | 'Cycle' | 'Window' | 'ExpiringDays' | 'DueAfter' | 'DueOn' | 'DueSoonDays'
>;

/** Whether the requirement decides how long a completion counts. Otherwise, its certificate does. */
export const hasTerm = ({ ValidFor, Cycle }: Pick<Rule, 'ValidFor' | 'Cycle'>) =>
  ValidFor !== null || Cycle !== null;

/** The day on which an obligation is due that was assigned on this day. */
export const dueDay = ({ DueAfter, DueOn }: Terms, assigned: Day): Day =>
  DueAfter === null ? (DueOn ?? assigned) : addPeriods(assigned, DueAfter);

/** The first instant of the window before the last day of a term, in which a new completion counts for the next term. */
export function windowDay(rule: Terms, start: Day, end: Day): Day {
  const wanted = rule.Window === null ? start : addPeriods(end, rule.Window, -1);
  // The term of a certificate may be shorter than the window.
  if (rule.Window !== null && (hasTerm(rule) || wanted > start)) return wanted;
  const days = daysBetween(start, end);
  return addDays(end, -(rule.ExpiringDays < days ? rule.ExpiringDays : Math.floor(days / 2)));
}

/**
 * The last day of a term. `start` is its first day, and `terms` how many periods have passed since then, including this
 * one. A cycle ends on its fixed day: a completion in the window before that day counts for the following term.
 */
export function lastDay(rule: Terms, start: Day, terms: number): Day | null {
  if (rule.ValidFor !== null) return addPeriods(start, rule.ValidFor, terms);
  if (rule.Cycle === null) return null;
  const { On, Years = 1 } = rule.Cycle;
  const year = Number(start.slice(0, 4));
  const ofThisYear = dayInYear(year, On);
  const nextYear = ofThisYear < start ? year + 1 : year;
  const next = dayInYear(nextYear, On);
  const previous = dayInYear(nextYear - 1, On);
  const isInWindow = start >= windowDay(rule, previous, next);
  return dayInYear(nextYear + Years - (isInWindow ? 0 : 1), On);
}

/** The dates that follow from the day on which an obligation is due. */
export const dueDates = (rule: Terms, day: Day, zone: string) => ({
  due_at: lastSecond(day, zone),
  due_soon_at: firstInstant(addDays(day, -rule.DueSoonDays), zone),
});

export type Term = { valid_until: Date | null; expiring_at: Date | null; opens: Date | null };

/**
 * The end of a term, when it is about to expire, and when the next one opens. `certified` is when the certificate for the
 * completion ends, which counts if the requirement has no term of its own.
 */
export function termDates(
  rule: Terms,
  { start, terms, metOn, certified }: { start: Day; terms: number; metOn: Day; certified: Date | null },
  zone: string,
): Term {
  const own = lastDay(rule, start, terms);
  const end = own ?? (certified && dayOf(certified, zone));
  if (end === null) return { valid_until: null, expiring_at: null, opens: null };
  return {
    valid_until: own === null ? certified : lastSecond(end, zone),
    expiring_at: firstInstant(addDays(end, -rule.ExpiringDays), zone),
    opens: firstInstant(windowDay(rule, metOn, end), zone),
  };
}

export { dayOf };
