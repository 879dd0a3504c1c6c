import { createContext, use } from 'react';
import { type DateTimeFormatOptions, useFormatter } from 'use-intl';

/** The tenant's time zone. Without one, days are those of the viewer. */
export const DayZone = createContext<string | null>(null);

/**
 * Formats the day of an instant. What falls due or ends, does so at the end of a day of the tenant: in the viewer's time
 * zone, it could be the next day.
 */
export function useDayFormat(): (at: string, style?: DateTimeFormatOptions) => string {
  const format = useFormatter();
  const timeZone = use(DayZone);
  return (at, style = { dateStyle: 'medium' }) =>
    format.dateTime(new Date(at), { ...style, ...(timeZone !== null && { timeZone }) });
}

/** The day of an instant as the value of a field. Sweden writes it that way. */
export function useDayValue(): (at: string) => string {
  const timeZone = use(DayZone) ?? undefined;
  return (at) => new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' }).format(new Date(at));
}
