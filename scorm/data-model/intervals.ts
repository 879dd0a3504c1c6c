/** The length of each part of an interval in seconds. Years and months have the calendar's average length. */
const parts = [31_557_600, 2_629_800, 86_400, 3_600, 60, 1] as const;

const interval = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const timespan = /^(\d+):(\d{1,2}):(\d{1,2}(?:\.\d+)?)$/;

/** The maximum length of a text to parse. Real durations are much shorter. */
const longest = 200;

/** RTE 4th §4.1.1.7, timeinterval (second,10,2): at least one part, and at least one more after `T`. */
export function isInterval(text: string): boolean {
  return text.length <= longest && interval.test(text) && !text.endsWith('P') && !text.endsWith('T');
}

/** RTE 1.2 §3.4.2, CMITimespan. Hours and fractions may have any number of digits, as in existing content. */
export function isTimespan(text: string): boolean {
  return text.length <= longest && timespan.test(text);
}

/** The number of seconds in an interval or timespan, rounded to hundredths. Returns 0 for any other text. */
export function secondsIn(text: string | undefined): number {
  if (text === undefined || text.length > longest) return 0;
  const span = timespan.exec(text);
  const found = span ? ['0', '0', '0', ...span.slice(1)] : (interval.exec(text)?.slice(1) ?? []);
  const total = found.reduce((sum, part, at) => sum + Number(part ?? 0) * (parts[at] ?? 0), 0);
  return Number.isFinite(total) ? Math.round(total * 100) / 100 : 0;
}

/** The largest time that SCORM 1.2 can express: 9999:59:59.99. */
const longestTimespan = 35_999_999.99;

function split(seconds: number): [hours: number, minutes: number, hundredths: number] {
  const hundredths = Math.round(Math.min(longestTimespan, Math.max(0, seconds)) * 100);
  return [Math.floor(hundredths / 360_000), Math.floor(hundredths / 6_000) % 60, hundredths % 6_000];
}

/** `PT1H2M3.5S` */
export function formatInterval(seconds: number): string {
  const [hours, minutes, hundredths] = split(seconds);
  const rest = hundredths / 100;
  const written = [hours && `${hours}H`, minutes && `${minutes}M`, rest && `${rest}S`].filter(Boolean);
  return `PT${written.join('') || '0S'}`;
}

/** `0001:02:03.50` */
export function formatTimespan(seconds: number): string {
  const [hours, minutes, hundredths] = split(seconds);
  const two = (value: number) => String(value).padStart(2, '0');
  const rest = `${two(Math.floor(hundredths / 100))}.${two(hundredths % 100)}`;
  return `${String(hours).padStart(4, '0')}:${two(minutes)}:${rest}`;
}
