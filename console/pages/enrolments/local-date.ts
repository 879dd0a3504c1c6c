const two = (part: number) => String(part).padStart(2, '0');

/** The day of an instant where the viewer is, as date fields write it. */
export function localDate(instant: Date): string {
  return `${instant.getFullYear()}-${two(instant.getMonth() + 1)}-${two(instant.getDate())}`;
}
