import type { Check, CheckResult } from './types.ts';
import { characters, localised, numberIn, real, shortIdentifier, together, words } from './values.ts';

/** RTE 4th §4.2.9: the formats of learner responses and correct responses for each type of interaction. */
export type ResponseFormat = {
  response: Check;
  pattern: Check;
  /** The permitted number of correct responses. */
  patterns: 'one' | 'many';
  /** Whether all correct responses must be different. */
  distinct?: true;
};

/** Unlike `split`, returns no parts for an empty text. */
const partsOf = (text: string, delimiter: string) => (text === '' ? [] : text.split(delimiter));

function list(check: Check, permitted: number, isSet = false): Check {
  return (text) => {
    const parts = partsOf(text, '[,]');
    if (isSet && new Set(parts).size < parts.length) return 'wrong type';
    const judged = together(parts.map(check));
    return judged === 'valid' && parts.length > permitted
      ? { note: `${parts.length} parts, beyond the permitted maximum of ${permitted}` }
      : judged;
  };
}

const switches = /^\{(?:case|order)_matters=([^}]*)\}/;

/**
 * Removes `{case_matters=…}` and `{order_matters=…}`, in either order. Null if one of them is neither true nor false.
 */
function withoutSwitches(text: string): string | null {
  let rest = text;
  for (let at = 0; at < 2; at++) {
    const found = switches.exec(rest);
    if (!found) break;
    if (found[1] !== 'true' && found[1] !== 'false') return null;
    rest = rest.slice(found[0].length);
  }
  return rest;
}

function switchable(check: Check): Check {
  return (text) => {
    const rest = withoutSwitches(text);
    return rest === null ? 'wrong type' : check(rest);
  };
}

function pair(first: Check, second: Check): Check {
  return (text) => {
    const parts = text.split('[.]');
    const [left = '', right = ''] = parts;
    return parts.length === 2 ? together([first(left), second(right)]) : 'wrong type';
  };
}

/** For example `1[:]2`. Either number may be missing. */
const range: Check = (text) => {
  const parts = text.split('[:]');
  if (parts.length !== 2) return 'wrong type';
  const [least, most] = parts.map(numberIn);
  if (typeof least === 'number' && typeof most === 'number' && least > most) return 'wrong type';
  return together(parts.filter((part) => part !== '').map(real()));
};

/** A single number is a range of one value. */
const numericPattern: Check = (text) => (text.includes('[:]') ? range(text) : real()(text));

const optional =
  (check: Check): Check =>
  (text) =>
    text === '' ? 'valid' : check(text);

/** A step has a name, an answer, or both. The answer is a text or a numeric range. */
const step: Check = (text): CheckResult => {
  if (text === '[.]') return 'wrong type';
  const answer: Check = (part) => (part.includes('[:]') ? range(part) : shortText(part));
  return pair(optional(shortIdentifier), answer)(text);
};

const shortText: Check = (text) =>
  text.includes('[') && /\[[.,:]\]/.test(text) ? 'wrong type' : characters(250)(text);

const trueFalse = words('true', 'false');
const choices = list(shortIdentifier, 36, true);
const fillIn = list(localised(250), 10);
const matches = list(pair(shortIdentifier, shortIdentifier), 36);
const steps = list(step, 250);
const sequence = list(shortIdentifier, 36);

export const responseFormats: Readonly<Record<string, ResponseFormat>> = {
  'true-false': { response: trueFalse, pattern: trueFalse, patterns: 'one' },
  choice: { response: choices, pattern: choices, patterns: 'many', distinct: true },
  'fill-in': { response: fillIn, pattern: switchable(fillIn), patterns: 'many' },
  'long-fill-in': {
    response: localised(4_000),
    pattern: switchable(localised(4_000)),
    patterns: 'many',
  },
  likert: { response: shortIdentifier, pattern: shortIdentifier, patterns: 'one' },
  matching: { response: matches, pattern: matches, patterns: 'many' },
  performance: { response: steps, pattern: switchable(list(step, 125)), patterns: 'many' },
  sequencing: { response: sequence, pattern: sequence, patterns: 'many', distinct: true },
  numeric: { response: real(), pattern: numericPattern, patterns: 'one' },
  other: { response: characters(4_000), pattern: characters(4_000), patterns: 'one' },
};

export const interactionTypes = Object.keys(responseFormats);

/** The format for a type that has already been validated. */
export function formatOf(type: string | undefined): ResponseFormat | null {
  return type !== undefined && Object.hasOwn(responseFormats, type) ? (responseFormats[type] ?? null) : null;
}
