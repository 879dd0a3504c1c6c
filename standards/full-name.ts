/** Chinese, Japanese and Korean names: these scripts, and the marks that only they use. */
const familyNameFirst = /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]+$/u;

/** The name as people write it: in Chinese, Japanese and Korean the family name comes first, without a space. */
export function fullName(first: string | null | undefined, last: string | null | undefined): string {
  if (!first || !last) return first || last || '';
  return familyNameFirst.test(last + first) ? last + first : `${first} ${last}`;
}
