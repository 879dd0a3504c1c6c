const two = (part: number) => String(part).padStart(2, '0');

/** An instant where the viewer is, as fields for date and time write it. */
export const local = (at: Date) =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;

/** The instant that was typed where the viewer is; null for what is none. */
export function instantOf(text: string | undefined): string | null {
  const at = new Date(text ?? '');
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

/** From, and before Until; null: no bound. Instants are compared as times, however they are written. */
export function isWithin(at: string, from: string | null, until: string | null): boolean {
  const time = new Date(at).getTime();
  return (
    (from === null || time >= new Date(from).getTime()) &&
    (until === null || time < new Date(until).getTime())
  );
}
