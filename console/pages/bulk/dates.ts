import { readCells } from './csv-text.ts';
import { type Source, textOf } from './source.ts';

/** The order of day and month in dates such as 3/4/2027. Null if the file does not show it. */
export type DateOrder = 'day-month' | 'month-day' | null;

type Parts = { day: string; year: number; month: number; date: number };

const isoDate = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const dotted = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})$/;
const ordered = /^(\d{1,2})([/-])(\d{1,2})\2(\d{4})$/;

function partsOf(year: number, month: number, date: number): Parts | null {
  const day = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`;
  const time = Date.parse(`${day}T00:00:00Z`);
  const exists = !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
  return exists ? { day, year, month, date } : null;
}

/** The order of day and month that a date implies, if any. */
function orderIn(text: string): DateOrder {
  const [, first, , second] = ordered.exec(text) ?? [];
  if (Number(first) > 12) return 'day-month';
  return Number(second) > 12 ? 'month-day' : null;
}

/**
 * Converts a date to the end of that day, in the browser's time zone, as an RFC 3339 time. Values with a time are not
 * changed. `ambiguous` if it could be two days; null if it is not a date.
 */
export function endOfDay(text: string, order: DateOrder): string | 'ambiguous' | null {
  if (/^\d{4}-\d\d-\d\dT/i.test(text)) return Number.isNaN(Date.parse(text)) ? null : text;
  const parts = readDate(text, order);
  if (parts === 'ambiguous' || parts === null) return parts;
  return new Date(`${parts.day}T23:59:59`).toISOString();
}

function readDate(text: string, order: DateOrder): Parts | 'ambiguous' | null {
  const iso = isoDate.exec(text);
  if (iso) return partsOf(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const dots = dotted.exec(text);
  if (dots) return partsOf(Number(dots[3]), Number(dots[2]), Number(dots[1]));
  const other = ordered.exec(text);
  if (!other) return null;
  const [first, second, year] = [Number(other[1]), Number(other[3]), Number(other[4])];
  const known = orderIn(text) ?? (first === second ? 'day-month' : order);
  if (known === null) return 'ambiguous';
  return known === 'day-month' ? partsOf(year, second, first) : partsOf(year, first, second);
}

const rowsAtOnce = 2000;

/** The order of the dates in a column, if all dates that show an order show the same one. */
export async function dateOrderOf(source: Source, column: number, signal: AbortSignal): Promise<DateOrder> {
  let order: DateOrder = null;
  if (!source.csv || column < 0) return order;
  for (let from = 0; from < source.rows; from += rowsAtOnce) {
    signal.throwIfAborted();
    for (const text of await textOf(source, from, Math.min(from + rowsAtOnce, source.rows))) {
      const found = orderIn(readCells(text, source.csv.delimiter)?.[column]?.trim() ?? '');
      if (found && order && found !== order) return null;
      order = found ?? order;
    }
  }
  return order;
}
