import { useFormatter, useTranslations } from 'use-intl';
import { partsOf } from '../courses/duration.ts';

/** A duration in words: 1 year, 6 months. */
export function useDurationText(): (iso: string | null) => string {
  const t = useTranslations('enrolments');
  const format = useFormatter();
  return (iso) => {
    if (iso === null) return t('options.unlimitedTime');
    const parts = partsOf(iso);
    if (!parts) return iso;
    const words = parts.map(({ amount, unit }) =>
      format.number(amount, { style: 'unit', unit, unitDisplay: 'long' }),
    );
    return format.list(words, { type: 'unit' });
  };
}
