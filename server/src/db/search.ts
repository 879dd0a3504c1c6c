import { fold } from '../lib/unicode.ts';
import type { Condition } from './page.ts';

/** The text that searches look through. */
export function searchedText(...parts: readonly (string | null)[]): string {
  return parts.flatMap((part) => (part === null ? [] : [fold(part)])).join(' ');
}

/** LIKE patterns for a searched text: each word of the search must be contained in it, anywhere. */
export function patternsOf(search: string): string[] {
  const folded = fold(search);
  const words = folded.split(/[\s,;]+/).filter((word) => word !== '');
  return [...new Set(words.length > 0 ? words : [folded])].map(
    (word) => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`,
  );
}

/**
 * SQL for whether a searched text contains all words of a search. An index has all parts of three characters, so a
 * search for fewer reads the texts of the tenant.
 */
export const matches =
  (text: string, search: string): Condition =>
  ({ add }) =>
    patternsOf(search)
      .map((pattern) => `${text} like ${add(pattern)}`)
      .join(' and ');
