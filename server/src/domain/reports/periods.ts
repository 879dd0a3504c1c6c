export const units = ['day', 'week', 'month'] as const;
export type Unit = (typeof units)[number];

/** The first and the last day of a period, both included, such as 2026-01-31. */
export type Period = { from: string; to: string };

const dayLength = 86_400_000;
const timeOf = (day: string) => Date.parse(`${day}T00:00:00Z`);

export const dayOf = (at: Date) => at.toISOString().slice(0, 10);

export const dayAfter = (day: string, days: number) => dayOf(new Date(timeOf(day) + days * dayLength));

/** Number of days in the period. */
export const lengthOf = ({ from, to }: Period) => (timeOf(to) - timeOf(from)) / dayLength + 1;

/** The first day of the calendar week (from Monday) or month of the day. */
export function startOf(unit: Unit, day: string): string {
  if (unit === 'month') return `${day.slice(0, 8)}01`;
  return unit === 'day' ? day : dayAfter(day, -((new Date(timeOf(day)).getUTCDay() + 6) % 7));
}

function endOf(unit: Unit, day: string): string {
  if (unit === 'day') return day;
  const start = startOf(unit, day);
  return unit === 'week' ? dayAfter(start, 6) : dayAfter(startOf('month', dayAfter(start, 31)), -1);
}

/** Splits a range into calendar periods, up to `max`. The first and the last may be shorter. */
export function splitRange({ from, to }: Period, unit: Unit, max: number): Period[] {
  const periods: Period[] = [];
  for (let day = from; day <= to && periods.length < max; ) {
    const end = endOf(unit, day);
    periods.push({ from: day, to: end < to ? end : to });
    day = dayAfter(end, 1);
  }
  return periods;
}
