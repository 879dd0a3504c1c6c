import { useFormatter, useTranslations } from 'use-intl';
import { usePeriodText } from '../../parts/period-field.tsx';
import type { Requirement } from './record.ts';

/** A day YYYY-MM-DD, or the month and day of every year, in the viewer's format. */
export function useDayText(): (day: string) => string {
  const format = useFormatter();
  return (day) =>
    day.length === 5
      ? format.dateTime(new Date(`2024-${day}T00:00:00Z`), {
          day: 'numeric',
          month: 'long',
          timeZone: 'UTC',
        })
      : format.dateTime(new Date(`${day}T00:00:00Z`), { dateStyle: 'medium', timeZone: 'UTC' });
}

/** When it is due and how long it counts, in words. */
export function useTermText(): (requirement: Requirement) => string {
  const t = useTranslations('requirements');
  const period = usePeriodText();
  const day = useDayText();
  return ({ DueAfter, DueOn, ValidFor, Cycle }) => {
    const due = DueAfter !== null ? t('dueAfter', { period: period(DueAfter) }) : '';
    const fixed = DueOn !== null ? t('dueOn', { day: day(DueOn) }) : '';
    const term = ValidFor !== null ? t('validFor', { period: period(ValidFor) }) : '';
    const cycle = Cycle ? t('cycle', { day: day(Cycle.On), years: Cycle.Years ?? 1 }) : '';
    return [due, fixed, term, cycle].filter((part) => part !== '').join(' · ');
  };
}
