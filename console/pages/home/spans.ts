/** The activity of one day (UTC). */
export type DayCount = { Day: string; Enrolments: number; Starts: number; Completions: number };

export const measures = ['Enrolments', 'Starts', 'Completions'] as const;
export type Measure = (typeof measures)[number];

export const spans = [30, 90, 365] as const;
export type Span = (typeof spans)[number];

/** A point in the chart: a day, or the week starting on `Day`. */
export type Point = DayCount & { days: number };

export type Total = { measure: Measure; now: number; before: number | null };

const sum = (days: readonly DayCount[], measure: Measure) =>
  days.reduce((total, day) => total + day[measure], 0);

/** The days in the period, and as many days before it as are known. */
export function splitDays(days: readonly DayCount[], span: Span) {
  const now = days.slice(-span);
  const before = days.slice(0, -span).slice(-span);
  return { now, before: before.length === span ? before : null };
}

export function totalsOf(days: readonly DayCount[], span: Span): Total[] {
  const { now, before } = splitDays(days, span);
  return measures.map((measure) => ({
    measure,
    now: sum(now, measure),
    before: before && sum(before, measure),
  }));
}

/** Days for a month or a quarter, weeks for a year. Leftover days extend the first week. */
export function pointsOf(days: readonly DayCount[], span: Span): Point[] {
  const now = days.slice(-span);
  if (span !== 365) return now.map((day) => ({ ...day, days: 1 }));
  const points: Point[] = [];
  for (let end = now.length; end > 0; ) {
    const start = end - 14 < 0 ? 0 : end - 7;
    const week = now.slice(start, end);
    const [first] = week;
    if (first)
      points.unshift({
        Day: first.Day,
        days: week.length,
        Enrolments: sum(week, 'Enrolments'),
        Starts: sum(week, 'Starts'),
        Completions: sum(week, 'Completions'),
      });
    end = start;
  }
  return points;
}

/** The relative change; null if there is nothing to compare with. */
export function changeOf({ now, before }: Total): number | null {
  return before ? (now - before) / before : null;
}
