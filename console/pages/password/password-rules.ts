export const minLength = 12;

/** Why a password is too easy to guess. */
export type Weakness = 'short' | 'simple' | 'personal';

/** Words that most guesses begin with, in the console's languages, and the rows of letters on a keyboard. */
const common = [
  'password',
  'passwort',
  'kennwort',
  'motdepasse',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
];
common.push('welcome', 'willkommen', 'bienvenue', 'letmein', 'iloveyou', 'lectern');

const fold = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

const without = (text: string, words: readonly string[]) =>
  words.reduce((rest, word) => rest.replaceAll(word, ''), text);

/** Counts characters that are not equal or adjacent to the previous one. "aaaa1234" has two: the first a and the 1. */
function surprises(text: string): number {
  const codes = Array.from(text, (one) => one.codePointAt(0) ?? 0);
  return codes.filter((code, at) => Math.abs(code - (codes[at - 1] ?? Number.NaN)) > 1 || at === 0).length;
}

const minSurprises = 5;

/** `words` are known facts about the user, such as their names. Null if the password is good enough. */
export function weaknessOf(password: string, words: readonly (string | null)[]): Weakness | null {
  if (Array.from(password).length < minLength) return 'short';
  const text = fold(password) || password;
  const own = words.flatMap((word) => fold(word ?? '').match(/.{3,}/u) ?? []);
  if (surprises(without(text, common)) < minSurprises) return 'simple';
  return surprises(without(text, own)) < minSurprises ? 'personal' : null;
}
