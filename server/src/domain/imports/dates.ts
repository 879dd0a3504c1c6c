/** The order of day and month in dates such as 3/4/2027. Null if nothing shows it. */
export type DateOrder = 'day-month' | 'month-day' | null;

const isoDate = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const dotted = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})$/;
const ordered = /^(\d{1,2})([/-])(\d{1,2})\2(\d{4})$/;
/** A time without a zone could be anywhere, so only its day counts. */
const localTime = /[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i;

function dayOf(year: number, month: number, date: number): string | null {
  const day = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`;
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) ? day : null;
}

/** The order of day and month that a date implies, if any. */
function orderIn(text: string): DateOrder {
  const [, first, , second] = ordered.exec(text.trim().replace(localTime, '')) ?? [];
  if (Number(first) > 12) return 'day-month';
  return Number(second) > 12 ? 'month-day' : null;
}

/** The order of a column's dates, if all dates that show an order show the same one. */
export function orderOf(texts: Iterable<string>): DateOrder {
  let order: DateOrder = null;
  for (const text of texts) {
    const found = orderIn(text);
    if (found && order && found !== order) return null;
    order = found ?? order;
  }
  return order;
}

/** An RFC 3339 instant or a day. `ambiguous` if it could be two days; null if it is not a date. */
export function dayOrInstantOf(cell: string, order: DateOrder): string | 'ambiguous' | null {
  const text = cell.trim();
  if (instant.test(text)) return Number.isNaN(Date.parse(text)) ? null : new Date(text).toISOString();
  return readDay(text.replace(localTime, ''), order);
}

function readDay(text: string, order: DateOrder): string | 'ambiguous' | null {
  const iso = isoDate.exec(text);
  if (iso) return dayOf(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const dots = dotted.exec(text);
  if (dots) return dayOf(Number(dots[3]), Number(dots[2]), Number(dots[1]));
  const other = ordered.exec(text);
  if (!other) return null;
  const [first, second, year] = [Number(other[1]), Number(other[3]), Number(other[4])];
  const known = orderIn(text) ?? (first === second ? 'day-month' : order);
  if (known === null) return 'ambiguous';
  return known === 'day-month' ? dayOf(year, second, first) : dayOf(year, first, second);
}
