import { randomBytes } from 'node:crypto';
import { Problem } from '../../lib/errors.ts';

/** Crockford's Base32: no I, L, O or U. */
export const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** 19 digits contain 95 random bits. */
const randomDigits = 19;
const digits = randomDigits + 1;

/** Multiplies by the generator of the field with 32 elements (x⁵ + x² + 1). */
function multiplyByGenerator(value: number): number {
  return value < 16 ? value << 1 : (value << 1) ^ 0b100101;
}

/**
 * Returns 0 for a valid key. Each digit has a different weight, so a key with one wrong digit or
 * two swapped digits is never valid.
 */
function checkValue(values: number[]): number {
  return values.reduce((sum, value) => multiplyByGenerator(sum) ^ value, 0);
}

/** Creates a key, without hyphens. */
export function newKey(): string {
  const values = [...randomBytes(randomDigits)].map((byte) => byte & 31);
  return [...values, multiplyByGenerator(checkValue(values))].map((value) => alphabet[value]).join('');
}

/** Formats the key for people: four groups of five. */
export function showKey(key: string): string {
  return key.replaceAll(/.{5}(?=.)/g, '$&-');
}

/** Normalises a typed key. Ignores case, hyphens and spaces; reads O as 0, and I and L as 1. */
export function readKey(typed: string): string {
  const key = typed
    .replaceAll(/[\s\p{Pd}]/gu, '')
    .toUpperCase()
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
  const values = [...key].map((character) => alphabet.indexOf(character));
  if (values.length !== digits)
    throw mistyped(`An enrolment key has ${digits} letters and digits, but this one has ${values.length}.`);
  if (values.includes(-1) || checkValue(values) !== 0)
    throw mistyped('The enrolment key contains a typing error.');
  return key;
}

function mistyped(what: string): Problem {
  return new Problem('key_mistyped', `${what} Compare it with the original and enter it again.`, {
    param: 'Key',
  });
}
