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
 * Whether an instant is in the period between `from` (inclusive) and `until` (exclusive). Null means unbounded.
 * Compares times instead of texts, because the same instant can be written with different offsets.
 */
export function isWithin(at: string, from: string | null, until: string | null): boolean {
  const time = new Date(at).getTime();
  return (
    (from === null || time >= new Date(from).getTime()) &&
    (until === null || time < new Date(until).getTime())
  );
}
