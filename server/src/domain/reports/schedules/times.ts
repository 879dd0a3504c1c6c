import { Problem } from '../../../lib/errors.ts';

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

const dayLength = 86_400_000;
const namePattern = /^[A-Za-z][A-Za-z0-9+_/-]*$/;

/** Rejects anything but the name of a time zone, such as an offset. */
export function checkTimeZone(timeZone: string): void {
  try {
    if (namePattern.test(timeZone) && localTime(timeZone, new Date(0)) !== null) return;
  } catch {}
  throw new Problem(
    'validation_failed',
    `The time zone ${JSON.stringify(timeZone)} is unknown. Send the name of a time zone from the IANA database, such as Europe/Berlin or UTC.`,
    { param: 'TimeZone' },
  );
}

/** The date and time that clocks in the zone show, as if it were UTC. */
function localTime(timeZone: string, at: Date): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  }).formatToParts(at);
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(read('year'), read('month') - 1, read('day'), read('hour'), read('minute'), read('second'));
}

/**
 * When clocks in the zone show this time. If they show it twice, because they are set back, the first time counts. If
 * they skip it, it moves by as much as they are set forward.
 */
function instantOf(timeZone: string, local: number): number {
  const offsetAt = (at: number) => localTime(timeZone, new Date(at)) - at;
  const before = offsetAt(local - dayLength);
  const found = [before, offsetAt(local + dayLength)]
    .map((offset) => local - offset)
    .filter((at) => at + offsetAt(at) === local);
  return found.length > 0 ? Math.min(...found) : local - before;
}

/** Whether the schedule runs on this day. Local days are in UTC. */
function isDue({ every, weekday, monthDay }: Times, day: Date): boolean {
  if (every === 'day') return true;
  if (every === 'week') return ((day.getUTCDay() + 6) % 7) + 1 === weekday;
  const last = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
  return day.getUTCDate() === Math.min(monthDay ?? 1, last);
}

/** The first time after `now` at which the schedule is due. */
export function nextRun(times: Times, now: Date): Date {
  const [hours = 0, minutes = 0] = times.time.split(':').map(Number);
  // The day before, because a skipped time can move past midnight.
  const today = Math.floor(localTime(times.timeZone, now) / dayLength) - 1;
  for (let day = today; day < today + 65; day++) {
    const date = day * dayLength;
    if (!isDue(times, new Date(date))) continue;
    const at = instantOf(times.timeZone, date + (hours * 60 + minutes) * 60_000);
    if (at > now.getTime()) return new Date(at);
  }
  throw new Error(`No time follows ${now.toISOString()}.`);
}
