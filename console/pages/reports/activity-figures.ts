import type { components } from '../../../client/src/generated.ts';
import type { Point } from '../home/spans.ts';

export type Period = components['schemas']['ActivityPeriod'];

export const measures = [
  'Enrolments',
  'Starts',
  'Launches',
  'Completions',
  'Passed',
  'Failed',
  'Expired',
  'Withdrawn',
] as const;
export type Measure = (typeof measures)[number];

/** The measures in the chart. */
export const inChart: readonly Measure[] = ['Enrolments', 'Starts', 'Completions'];

export const units = ['day', 'week', 'month'] as const;
export type Unit = (typeof units)[number];

const dayLength = 86_400_000;
const dayAfter = (day: string, days: number) =>
  new Date(Date.parse(day) + days * dayLength).toISOString().slice(0, 10);

/** Enough periods for a chart: a month of days, half a year of weeks, a year of months. */
export const daysOf: Record<Unit, number> = { day: 30, week: 182, month: 365 };

export const isDay = (text: string | undefined): text is string =>
  text !== undefined && /^[12]\d{3}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

/** The range in the URL; by default, the latest periods. */
export function rangeOf(filters: { from?: string; to?: string }, unit: Unit, today: string) {
  const to = isDay(filters.to) ? filters.to : today;
  return { From: isDay(filters.from) ? filters.from : dayAfter(to, 1 - daysOf[unit]), To: to };
}

export const pointOf = ({ From, To, Enrolments, Starts, Completions }: Period): Point => ({
  ...{ Day: From, Enrolments, Starts, Completions },
  days: Math.round((Date.parse(To) - Date.parse(From)) / dayLength) + 1,
});

export const totalOf = (periods: readonly Period[], measure: Measure) =>
  periods.reduce((total, period) => total + period[measure], 0);
