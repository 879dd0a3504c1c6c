import { useFormatter, useTranslations } from 'use-intl';
import { type Schedule, type Weekday, weekdayDates } from './schedule-form.ts';

/** The names of the days in the user's language. */
export function useWeekdayName() {
  const format = useFormatter();
  return (weekday: Weekday) =>
    format.dateTime(new Date(Date.UTC(2024, 0, weekdayDates[weekday])), {
      weekday: 'long',
      timeZone: 'UTC',
    });
}

/** When the report is sent, as a sentence. */
export function useWhen() {
  const t = useTranslations('reports.schedules');
  const format = useFormatter();
  const weekday = useWeekdayName();
  return ({ Every, Weekday, MonthDay, Time }: Schedule) => {
    const at = new Date(`2024-01-01T${Time}:00Z`);
    const time = format.dateTime(at, { timeStyle: 'short', timeZone: 'UTC' });
    if (Every === 'week' && Weekday) return t('weekly', { weekday: weekday(Weekday), time });
    if (Every === 'month' && MonthDay) return t('monthly', { day: MonthDay, time });
    return t('daily', { time });
  };
}
