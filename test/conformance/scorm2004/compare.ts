import { numberIn } from '../../../scorm/data-model/values.ts';
import type { Result } from './page.ts';
import type { Call } from './scripts.ts';

/**
 * Removes delimiters that state a default. Sorts the delimiters at the beginning, because they may be in any
 * order (RTE 4th §4.2.9.1).
 */
function normalize(text: string): string {
  const first: string[] = [];
  let rest = text;
  for (;;) {
    const [found] = /^\{(?:case_matters|order_matters|lang)=[^}]*\}/.exec(rest) ?? [];
    if (!found) break;
    if (!['{case_matters=false}', '{order_matters=true}', '{lang=en}'].includes(found)) first.push(found);
    rest = rest.slice(found.length);
  }
  return [...first.sort(), rest].join('').replaceAll('[,]{lang=en}', '[,]');
}

const interval = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** An interval as a number of months and a number of seconds, because months differ in length. */
function lengthOf(text: string): string | null {
  const parts = interval
    .exec(text)
    ?.slice(1)
    .map((part) => Number(part ?? 0));
  if (!parts) return null;
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts;
  const rest = Math.round((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 100) / 100;
  return `${years * 12 + months} ${rest}`;
}

const sortedWords = (text: string) =>
  text
    .split(/[\s,]+/)
    .filter(Boolean)
    .sort()
    .join(',');

/** Whether a value equals the expected value under the rules of the suite's own evaluator. */
export function isExpected(name: string, expected: string, found: string): boolean {
  if (found === expected) return true;
  if (name.endsWith('._children')) return sortedWords(found) === sortedWords(expected);
  const [a, b] = [numberIn(expected), numberIn(found)];
  if (a !== null && b !== null) return a === b;
  const [length, other] = [lengthOf(expected), lengthOf(found)];
  if (length !== null && other !== null) return length === other;
  return normalize(found) === normalize(expected);
}

/** Describes how a call's result differs from the script; null if it does not. */
export function difference(call: Call, { returned, error }: Result, learnerID: string): string | null {
  const { fn, args = [], expect = '', error: expectedError = '0' } = call;
  const [name = ''] = args;
  const mismatch = (what: string, wanted: string, got: string) =>
    `${fn}(${args.map(short).join(', ')}): ${what} ${short(wanted)} expected, got ${short(got)}`;
  if (fn === 'compareObjectives') {
    const [wanted, got] = [sortedWords(call.ids?.join(' ') ?? ''), sortedWords(returned)];
    return wanted === got ? null : `cmi.objectives: ${wanted || 'none'} expected, got ${got || 'none'}`;
  }
  if (fn === 'GetValue' && name.startsWith('adl.nav.request_valid.'))
    return ['true', 'false', 'unknown'].includes(returned)
      ? null
      : mismatch('true, false or', 'unknown', returned);
  if (/^cmi\.comments_from_lms\.\d+\./.test(name) && fn === 'GetValue')
    return ['0', '301', '122'].includes(error) ? null : mismatch('error', '0 or 301', error);
  if (error !== expectedError) return mismatch('error', expectedError, error);
  if (expect === 'less255')
    return returned.length <= 255 ? null : mismatch('at most', '255 characters', returned);
  if (expect === 'emptyCS') return returned === '' ? null : mismatch('', '', returned);
  if (fn === 'GetValue' && error === '0') {
    if (name === 'cmi.learner_name') return null;
    if (name === 'cmi.learner_id') return returned === learnerID ? null : mismatch('', learnerID, returned);
    // The page has found the list member. Otherwise, there would be an error.
    if (/&\.id$/.test(name) && expect === '') return null;
  }
  return isExpected(name, expect, returned) ? null : mismatch('', expect, returned);
}

function short(text: string): string {
  return text.length <= 60 ? `"${text}"` : `"${text.slice(0, 50)}…" (${text.length} characters)`;
}
