import { isInterval } from './intervals.ts';
import { isLanguage } from './languages.ts';
import type { Check, CheckResult } from './types.ts';

/** The result for a value with several parts: the first error or, if there is none, the first note. */
export function together(judgements: readonly CheckResult[]): CheckResult {
  return (
    judgements.find((judgement) => typeof judgement === 'string' && judgement !== 'valid') ??
    judgements.find((judgement) => typeof judgement === 'object') ??
    'valid'
  );
}

/**
 * RTE 4th §4.1.1.3: a run-time must store texts up to the “smallest permitted maximum”. Longer texts are also
 * stored, with a note.
 */
export function characters(permitted: number): Check {
  return (text) =>
    text.length <= permitted
      ? 'valid'
      : { note: `${text.length} characters, beyond the permitted maximum of ${permitted}` };
}

export function words(...allowed: readonly string[]): Check {
  return (text) => (allowed.includes(text) ? 'valid' : 'wrong type');
}

const decimal = /^-?(?:\d+(?:\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i;
/** The largest double has 309 digits before the decimal point. */
const longestNumber = 400;

/** RTE 4th §4.1.1.7, real (10,7). Returns null for any other text. */
export function numberIn(text: string | undefined): number | null {
  if (text === undefined || text.length > longestNumber || !decimal.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

export function real(least = -Infinity, most = Infinity): Check {
  return (text) => {
    const value = numberIn(text);
    if (value === null) return 'wrong type';
    if (value < least || value > most) return 'out of range';
    return /e/i.test(text) ? { note: 'a number with an exponent' } : 'valid';
  };
}

/** RTE 4th §4.1.1.6: the text may begin with `{lang=…}`. Otherwise it is in the default language. */
export function localised(permitted: number): Check {
  const fits = characters(permitted);
  return (text) => {
    if (!text.startsWith('{lang=')) return fits(text);
    const end = text.indexOf('}');
    if (end < 0 || !isLanguage(text.slice('{lang='.length, end))) return 'wrong type';
    return fits(text.slice(end + 1));
  };
}

/** RFC 2141: a namespace and a name within it must follow `urn:`. */
const urn = /^urn:[a-z0-9][a-z0-9-]{0,31}:\S+$/i;

/** RTE 4th §4.1.1.7, long_identifier_type: a URI, or a name without white space. */
export function identifier(permitted: number): Check {
  const fits = characters(permitted);
  return (text) => {
    if (text.trim() === '') return 'wrong type';
    if (/^urn:/i.test(text)) return urn.test(text) ? fits(text) : 'wrong type';
    return /\s/.test(text) ? { note: 'an identifier with white space' } : fits(text);
  };
}

/**
 * RTE 4th §4.1.1.7, short_identifier_type. Brackets and braces are not allowed because they would be parsed
 * as delimiters.
 */
export const shortIdentifier: Check = (text) => (/[[\]{}]/.test(text) ? 'wrong type' : identifier(250)(text));

export const language: Check = (text) => (text === '' || isLanguage(text) ? 'valid' : 'wrong type');

export const interval: Check = (text) => {
  if (!isInterval(text)) return 'wrong type';
  return /\.\d{3,}S$/.test(text) ? { note: 'more than hundredths of a second' } : 'valid';
};

const day = '(\\d{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\\d|3[01])';
const zone = '(?:Z|[+-](?:[01]\\d|2[0-3])(?::[0-5]\\d)?)';
const momentWith = (fraction: string) =>
  new RegExp(`^${day}(?:T(?:[01]\\d|2[0-3])(?::[0-5]\\d(?::[0-5]\\d${fraction})?)?)?)?)?$`);
const moment = momentWith(`(?:\\.\\d{1,2}${zone}?)?`);
/** As `toISOString()` and other date functions write it. ADL's scripts refuse it without a zone or a fraction. */
const preciseMoment = momentWith(`\\.\\d{3,9}${zone}`);

/**
 * RTE 4th §4.1.1.7, time (second,10,0): the precision ranges from a year to a hundredth of a second. Only
 * times with hundredths may have a time zone. Others are accepted with a note.
 */
export const timestamp: Check = (text) => {
  const exact = moment.exec(text);
  const year = Number((exact ?? preciseMoment.exec(text))?.[1]);
  if (!(year >= 1970 && year <= 2038)) return 'wrong type';
  return exact ? 'valid' : { note: 'not written as a time in hundredths of a second' };
};

/** One of the plain requests or, for example, `{target=…}choice` or `{target=…}jump` (SN 4th §5.6.4). */
export function navigationRequest(plain: readonly string[], targeted: readonly string[]): Check {
  return (text) => {
    if (plain.includes(text)) return 'valid';
    const end = text.lastIndexOf('}');
    const isTarget = text.startsWith('{target=') && end > '{target='.length;
    return isTarget && targeted.includes(text.slice(end + 1)) ? 'valid' : 'wrong type';
  };
}
