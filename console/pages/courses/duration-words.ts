import { useFormatter } from 'use-intl';
import { partsOf } from './duration.ts';

/** A duration in words, such as "1 year, 6 months". */
export function useDurationWords(): (iso: string) => string {
  const format = useFormatter();
  return (iso) => {
    const parts = partsOf(iso);
    if (!parts) return iso;
    const words = parts.map(({ amount, unit }) =>
      format.number(amount, { style: 'unit', unit, unitDisplay: 'long' }),
    );
    return format.list(words, { type: 'unit' });
  };
}
