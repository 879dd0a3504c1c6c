import { useFormatter } from 'use-intl';

/** A number from 0 to 100 in the viewer's number format. */
export function usePercent(): (value: number) => string {
  const format = useFormatter();
  return (value) => format.number(value / 100, { style: 'percent', maximumFractionDigits: 1 });
}
