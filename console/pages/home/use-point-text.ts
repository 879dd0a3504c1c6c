import { useFormatter, useTranslations } from 'use-intl';
import type { Point } from './spans.ts';

/** The service counts days in UTC. */
export const dateOfDay = (day: string) => new Date(`${day}T00:00:00Z`);

/** The date of a point: a day, or a range of days. */
export function usePeriodText() {
  const format = useFormatter();
  return ({ Day, days }: Point) => {
    const from = dateOfDay(Day);
    const style = { dateStyle: 'medium', timeZone: 'UTC' } as const;
    if (days === 1) return format.dateTime(from, style);
    return format.dateTimeRange(from, new Date(from.getTime() + (days - 1) * 86_400_000), style);
  };
}

/** All values of a point, in words. */
export function usePointText() {
  const t = useTranslations('home');
  const period = usePeriodText();
  return (point: Point) =>
    t('point', {
      period: period(point),
      enrolments: point.Enrolments,
      starts: point.Starts,
      completions: point.Completions,
    });
}
