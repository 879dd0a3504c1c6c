import { useFormatter } from 'use-intl';

/** A day as people say it: without the year if it is the present one. */
export function useDay(): (at: string) => string {
  const format = useFormatter();
  return (at) => {
    const date = new Date(at);
    const isThisYear = date.getFullYear() === new Date().getFullYear();
    return format.dateTime(date, { day: 'numeric', month: 'long', ...(!isThisYear && { year: 'numeric' }) });
  };
}
