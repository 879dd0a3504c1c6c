export const units = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'] as const;
export type Unit = (typeof units)[number];
export type Part = { amount: number; unit: Unit };

/** The service's limit: the maximum number of digits in each part. */
const digits: Record<Unit, number> = { year: 3, month: 4, week: 4, day: 5, hour: 5, minute: 5, second: 5 };

const letters: Record<Unit, string> = {
  year: 'Y',
  month: 'M',
  week: 'W',
  day: 'D',
  hour: 'H',
  minute: 'M',
  second: 'S',
};

const isOfTime = (unit: Unit) => units.indexOf(unit) > units.indexOf('day');

const group = (unit: Unit) => `(?:(?<${unit}>\\d{1,${digits[unit]}})${letters[unit]})?`;
const date = units.filter((unit) => !isOfTime(unit)).map(group);
const time = units.filter(isOfTime).map(group);
const durationPattern = new RegExp(`^P(?=\\d|T\\d)${date.join('')}(?:T(?=\\d)${time.join('')})?$`);

/** The parts of an ISO 8601 duration such as P1Y6M, largest first; null if it is not one. */
export function partsOf(iso: string): Part[] | null {
  const found = durationPattern.exec(iso)?.groups;
  if (!found) return null;
  return units.flatMap((unit) => (found[unit] === undefined ? [] : [{ amount: Number(found[unit]), unit }]));
}

/** Converts to ISO 8601. For example, `{ amount: 30, unit: 'day' }` becomes P30D. */
export function toIso({ amount, unit }: Part): string {
  return `P${isOfTime(unit) ? 'T' : ''}${amount}${letters[unit]}`;
}

/** The maximum value for a unit. */
export function maxOf(unit: Unit): number {
  return 10 ** digits[unit] - 1;
}
