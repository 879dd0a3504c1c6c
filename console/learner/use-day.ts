import { useDayFormat } from '../parts/day-zone.ts';

/** A day as people say it: without the year if it is the present one. */
export function useDay(): (at: string) => string {
  const format = useDayFormat();
  return (at) => {
    const isThisYear = new Date(at).getFullYear() === new Date().getFullYear();
    return format(at, { day: 'numeric', month: 'long', ...(!isThisYear && { year: 'numeric' }) });
  };
}
