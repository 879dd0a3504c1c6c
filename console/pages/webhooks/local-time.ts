const two = (part: number) => String(part).padStart(2, '0');

/** An instant in the viewer's time zone, in the format of date-time fields. */
export const local = (at: Date) =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;

/** The instant that was typed in the viewer's time zone; null if it is invalid. */
export function instantOf(text: string | undefined): string | null {
  const at = new Date(text ?? '');
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

/**
 * From (inclusive) and until (exclusive); null means unbounded. Instants are compared as times, whatever their
 * notation.
 */
export function isWithin(at: string, from: string | null, until: string | null): boolean {
  const time = new Date(at).getTime();
  return (
    (from === null || time >= new Date(from).getTime()) &&
    (until === null || time < new Date(until).getTime())
  );
}
