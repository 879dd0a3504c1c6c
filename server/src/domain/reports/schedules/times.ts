import { Temporal } from 'temporal-polyfill';
import { dayOf } from '../../../lib/days.ts';

export const frequencies = ['day', 'week', 'month'] as const;
export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

/** When a report runs, in the time of a zone. */
export type Times = {
  every: (typeof frequencies)[number];
  /** 1 is Monday. */
  weekday: number | null;
  /** The last day of shorter months. */
  monthDay: number | null;
  /** Hours and minutes, such as 07:00. */
  time: string;
  timeZone: string;
};

/**
 * When clocks in the zone show this time on this day. If they show it twice, because they are set back, the first time
 * counts. If they skip it, it moves by as much as they are set forward.
 */
function instantOf(timeZone: string, day: Temporal.PlainDate, time: string): Date {
  return new Date(day.toZonedDateTime({ timeZone, plainTime: time }).epochMilliseconds);
}

function isDue({ every, weekday, monthDay }: Times, day: Temporal.PlainDate): boolean {
  if (every === 'day') return true;
  if (every === 'week') return day.dayOfWeek === weekday;
  return day.day === Math.min(monthDay ?? 1, day.daysInMonth);
}

/** The first time after `now` at which the schedule is due. */
export function nextRun(times: Times, now: Date): Date {
  // From the day before, because a skipped time can move past midnight.
  const yesterday = Temporal.PlainDate.from(dayOf(now, times.timeZone)).subtract({ days: 1 });
  for (let days = 0; days < 65; days++) {
    const day = yesterday.add({ days });
    if (!isDue(times, day)) continue;
    const at = instantOf(times.timeZone, day, times.time);
    if (at > now) return at;
  }
  throw new Error(`No time follows ${now.toISOString()}.`);
}
