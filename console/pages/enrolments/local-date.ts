const two = (part: number) => String(part).padStart(2, '0');

/** The day of an instant in the viewer's time zone, in the format of date fields. */
export function localDate(instant: Date): string {
  return `${instant.getFullYear()}-${two(instant.getMonth() + 1)}-${two(instant.getDate())}`;
}
