import { numberIn } from '../../../scorm/data-model/values.ts';
import type { Result } from './page.ts';
import type { Call } from './scripts.ts';

/** The delimiters that say what holds anyway, and those that come first in any order (RTE 4th §4.2.9.1). */
function plain(text: string): string {
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

/** The months and the seconds of an interval, which cannot be converted into each other. */
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

const words = (text: string) =>
  text
    .split(/[\s,]+/)
    .filter(Boolean)
    .sort()
    .join(',');

/** Whether a value is the expected one, by the rules of the suite's own evaluator. */
export function isExpected(name: string, expected: string, found: string): boolean {
  if (found === expected) return true;
  if (name.endsWith('._children')) return words(found) === words(expected);
  const [a, b] = [numberIn(expected), numberIn(found)];
  if (a !== null && b !== null) return a === b;
  const [length, other] = [lengthOf(expected), lengthOf(found)];
  if (length !== null && other !== null) return length === other;
  return plain(found) === plain(expected);
}

/** What differs from the script. Null if nothing does. */
export function difference(call: Call, { returned, error }: Result, learnerID: string): string | null {
  const { fn, args = [], expect = '', error: expectedError = '0' } = call;
  const [name = ''] = args;
  const said = (what: string, wanted: string, got: string) =>
    `${fn}(${args.map(short).join(', ')}): ${what} ${short(wanted)} expected, got ${short(got)}`;
  if (fn === 'compareObjectives') {
    const [wanted, got] = [words(call.ids?.join(' ') ?? ''), words(returned)];
    return wanted === got ? null : `cmi.objectives: ${wanted || 'none'} expected, got ${got || 'none'}`;
  }
  if (fn === 'GetValue' && name.startsWith('adl.nav.request_valid.'))
    return ['true', 'false', 'unknown'].includes(returned)
      ? null
      : said('true, false or', 'unknown', returned);
  if (/^cmi\.comments_from_lms\.\d+\./.test(name) && fn === 'GetValue')
    return ['0', '301', '122'].includes(error) ? null : said('error', '0 or 301', error);
  if (error !== expectedError) return said('error', expectedError, error);
  if (expect === 'less255')
    return returned.length <= 255 ? null : said('at most', '255 characters', returned);
  if (expect === 'emptyCS') return returned === '' ? null : said('', '', returned);
  if (fn === 'GetValue' && error === '0') {
    if (name === 'cmi.learner_name') return null;
    if (name === 'cmi.learner_id') return returned === learnerID ? null : said('', learnerID, returned);
    // The page has found the member, or the error would be another one.
    if (/&\.id$/.test(name) && expect === '') return null;
  }
  return isExpected(name, expect, returned) ? null : said('', expect, returned);
}

function short(text: string): string {
  return text.length <= 60 ? `"${text}"` : `"${text.slice(0, 50)}…" (${text.length} characters)`;
}
