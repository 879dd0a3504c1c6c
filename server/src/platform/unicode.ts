/** The longest path of a package has as many characters, and an identifier of 255 fewer in any spelling of a real script. */
const longest = 1_024;

/**
 * More combining marks in a row than any script writes (UAX #15, Stream-Safe Text Format). Sorting them takes time that
 * grows with the square of their number: 8,000 took 80 ms, 128,000 took 25 s.
 */
const endlessMarks = /\p{M}{31}/u;

export function hasEndlessMarks(text: string): boolean {
  return endlessMarks.test(text);
}

/**
 * The form in which identifiers and names of files are compared, in time that grows with the length only. Text that is
 * too long for either, or that no script writes, stays as it is.
 */
export function toNfc(text: string): string {
  return text.length > longest || hasEndlessMarks(text) ? text : text.normalize('NFC');
}
