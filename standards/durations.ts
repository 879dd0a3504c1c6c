import { clamp } from './numbers.ts';

/** The longest duration that SCORM 1.2 can express: 9999:59:59. */
const maxSeconds = 35_999_999;

const timespan = /^(?:(\d+):)?(\d+):(\d+(?:\.\d*)?)$/;
const duration =
  /^P(?:([\d.]+)Y)?(?:([\d.]+)M)?(?:([\d.]+)W)?(?:([\d.]+)D)?(?:T(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?)?$/i;
const durationSeconds = [31_557_600, 2_629_800, 604_800, 86_400, 3_600, 60, 1];

/**
 * The seconds in a SCORM 1.2 timespan or an ISO 8601 duration, limited to 9999:59:59. Returns 0 for any other
 * text.
 */
export const parseSeconds = (text: string | null | undefined) => clamp(parseAnySeconds(text), 0, maxSeconds);

/** Like `parseSeconds`, but without a maximum. */
export function parseAnySeconds(text: string | null | undefined): number {
  const plain = text?.trim() ?? '';
  const span = timespan.exec(plain);
  const parts = span ? span.slice(1) : duration.exec(plain)?.slice(1);
  const units = span ? [3_600, 60, 1] : durationSeconds;
  const total = parts?.reduce((sum, part, index) => sum + Number(part ?? 0) * (units[index] ?? 0), 0) ?? 0;
  return Number.isNaN(total) ? 0 : total;
}

/** `HHHH:MM:SS.SS` */
export function formatTimespan(seconds: number): string {
  const hundredths = Math.round(clamp(seconds, 0, maxSeconds) * 100);
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = String(Math.floor(hundredths / 360_000)).padStart(4, '0');
  const minutes = two(Math.floor(hundredths / 6_000) % 60);
  return `${hours}:${minutes}:${two(Math.floor(hundredths / 100) % 60)}.${two(hundredths % 100)}`;
}

/** `PT#H#M#S` */
export function formatDuration(seconds: number): string {
  const hundredths = Math.round(clamp(seconds, 0, maxSeconds) * 100);
  const hours = Math.floor(hundredths / 360_000);
  const minutes = Math.floor(hundredths / 6_000) % 60;
  const rest = (hundredths % 6_000) / 100;
  const parts = [hours && `${hours}H`, minutes && `${minutes}M`, rest && `${rest}S`].filter(Boolean);
  return `PT${parts.join('') || '0S'}`;
}
