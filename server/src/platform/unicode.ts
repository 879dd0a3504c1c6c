/**
 * The maximum length of a path in a package. In any script, an identifier of 255 characters is
 * shorter than this in every normalisation form.
 */
const maxLength = 1_024;

/**
 * More combining marks in a row than any script uses (UAX #15, Stream-Safe Text Format). Sorting them takes
 * time that grows with the square of their number: 8,000 took 80 ms, 128,000 took 25 s.
 */
const excessiveCombiningMarks = /\p{M}{31}/u;

export function hasExcessiveCombiningMarks(text: string): boolean {
  return excessiveCombiningMarks.test(text);
}

/**
 * The form in which identifiers and file names are compared, computed in linear time. Text that is too long, or that no
 * script would contain, is left unchanged.
 */
export function toNfc(text: string): string {
  return text.length > maxLength || hasExcessiveCombiningMarks(text) ? text : text.normalize('NFC');
}

/** Replaces characters that PostgreSQL cannot store, in text from outside the service. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** Separates letters from their accents, for searching. Only the beginning of a long text is used. */
export function toNfkd(text: string): string {
  return text.slice(0, maxLength).normalize('NFKD');
}
