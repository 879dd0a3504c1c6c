import { invalid } from './invalid.ts';
import type { Json } from './types.ts';

/** RFC 3339, and ISO 8601 forms without seconds or with a decimal comma. */
const instantShape =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * Microseconds since 1970, truncated; null if it is not a timestamp. Without an offset, the time is taken as
 * UTC.
 */
export function readInstant(value: Json | undefined): number | null {
  if (typeof value !== 'string' || value.length > 64) return null;
  const [found, year, month, day, hour, minute, second = '00', fraction = '', zone = 'Z'] =
    instantShape.exec(value) ?? [];
  // Data 4.5 does not allow -00:00, which means that the offset is unknown.
  if (!found || /^-00(?::?00)?$/.test(zone)) return null;
  const milliseconds = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const isDay = new Date(milliseconds).getUTCDate() === Number(day) || hour === '24';
  const offset = offsetMinutes(zone);
  if (Number.isNaN(milliseconds) || !isDay || offset === null) return null;
  const micros = Number(fraction.slice(0, 6).padEnd(6, '0'));
  return (milliseconds - offset * 60_000) * 1000 + micros;
}

function offsetMinutes(zone: string): number | null {
  if (zone.toUpperCase() === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', '') || 0);
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** Data 4.5: always in UTC. Microseconds are included if they are not zero. */
export function writeInstant(micros: number): string {
  const milliseconds = Math.floor(micros / 1000);
  const rest = micros - milliseconds * 1000;
  const text = new Date(milliseconds).toISOString();
  return rest === 0 ? text : text.replace('Z', `${String(rest).padStart(3, '0')}Z`);
}

export function instant(value: Json, path: string): void {
  if (readInstant(value) === null)
    invalid(path, 'must be a timestamp such as 2026-01-31T09:00:00Z, with a known offset from UTC.');
}

const durationShape =
  /^P(?:(\d+(?:[.,]\d+)?)W|(?:(\d+(?:[.,]\d+)?)Y)?(?:(\d+(?:[.,]\d+)?)M)?(?:(\d+(?:[.,]\d+)?)D)?(?:T(?:(\d+(?:[.,]\d+)?)H)?(?:(\d+(?:[.,]\d+)?)M)?(?:(\d+(?:[.,]\d+)?)S)?)?)$/;

/** Data 4.6: an ISO 8601 duration with at least one component. */
export function isDuration(value: Json | undefined): value is string {
  return (
    typeof value === 'string' &&
    value.length <= 200 &&
    durationShape.test(value) &&
    /\d[YMDWHS]?$/.test(value) &&
    !/T$/.test(value) &&
    /\d/.test(value)
  );
}

export function duration(value: Json, path: string): void {
  if (!isDuration(value)) invalid(path, 'must be an ISO 8601 duration such as PT1H30M.');
}

/** Data 4.6: durations are compared to a hundredth of a second. Further digits are ignored. */
export function comparableDuration(value: string): string {
  const [, ...parts] = durationShape.exec(value) ?? [];
  const [weeks = 0, years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts.map(
    (part) => Number((part ?? '0').replace(',', '.')),
  );
  const hundredths = Math.floor(
    (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 6000 + Math.floor(seconds * 100 + 1e-6),
  );
  return `${years * 12 + months} ${hundredths}`;
}
