import { Problem } from '../../platform/errors.ts';
import { toNfkd } from '../../platform/unicode.ts';

/** The index of users contains only the beginning of longer words. */
const indexedLength = 40;

const capitals =
  'ABCDEFGHIJKLMNOPQRSTUVWXYZẞÆŒÞØĐÐŁĦıŊΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣςΤΥΦΧΨΩАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖ';
const small =
  'abcdefghijklmnopqrstuvwxyzßæœþøđđłħiŋαβγδεζηθικλμνξοπρσστυφχψωабвгдежзийклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ';
const lower = new Map(Array.from(capitals, (letter, n) => [letter, Array.from(small)[n] ?? letter]));
const plain = new Map(
  Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ø: 'o', đ: 'd', ð: 'd', ł: 'l', ħ: 'h', ŋ: 'n' }),
);

const marks = /[\u0300-\u036f]/gu;
const separators =
  /[\p{Cc}\u0020-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f\ufeff]+/u;

function foldLetter(letter: string): string {
  const small = lower.get(letter) ?? letter;
  return plain.get(small) ?? small;
}

/** Words without case, accents and punctuation: the same as `folded_text` in the database. */
export function wordsOf(text: string): string[] {
  const folded = Array.from(toNfkd(text).replaceAll(marks, ''), foldLetter).join('');
  return [...new Set(folded.split(separators).filter((word) => word !== ''))];
}

/** The part of a word that the index contains. */
const indexedPart = (word: string): string => Array.from(word).slice(0, indexedLength).join('');

/** A statement compares each word of a search with up to 2,000 users. */
const maxWords = 10;

/**
 * The words of a search, each of which must be the beginning of a user's word, as far as words are indexed. A word that
 * is the beginning of another word is redundant.
 */
export function searchWords(text: string): string[] {
  const words = [...new Set(wordsOf(text).map(indexedPart))];
  if (words.length > maxWords)
    throw new Problem(
      'validation_failed',
      `Search has more than ${maxWords} words. Leave out some of them.`,
      {
        param: 'Search',
      },
    );
  return words.filter((word) => !words.some((other) => other !== word && other.startsWith(word)));
}
