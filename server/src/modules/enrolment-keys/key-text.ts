import { randomBytes } from 'node:crypto';
import { Problem } from '../../platform/errors.ts';

/** Crockford's base 32: no I, L, O and U. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** 95 random bits. */
const randomDigits = 19;
const digits = randomDigits + 1;

/** Times the generator of the field of 32 elements (x⁵ + x² + 1). */
function double(value: number): number {
  return value < 16 ? value << 1 : (value << 1) ^ 0b100101;
}

/** 0 for a right key. Each digit has a weight of its own, so one wrong digit or two swapped ones never give 0. */
function syndrome(values: number[]): number {
  return values.reduce((sum, value) => double(sum) ^ value, 0);
}

/** A new key, without its hyphens. */
export function newKey(): string {
  const values = [...randomBytes(randomDigits)].map((byte) => byte & 31);
  return [...values, double(syndrome(values))].map((value) => alphabet[value]).join('');
}

/** As people read it: four groups of five. */
export function showKey(key: string): string {
  return key.replaceAll(/.{5}(?=.)/g, '$&-');
}

/** The key that a person typed: letter case, hyphens and spaces do not matter, O is 0, I and L are 1. */
export function readKey(typed: string): string {
  const key = typed
    .replaceAll(/[\s\p{Pd}]/gu, '')
    .toUpperCase()
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
  const values = [...key].map((character) => alphabet.indexOf(character));
  if (values.length !== digits)
    throw mistyped(`An enrolment key has ${digits} letters and digits, but this has ${values.length}.`);
  if (values.includes(-1) || syndrome(values) !== 0)
    throw mistyped('A letter or digit of the enrolment key is wrong.');
  return key;
}

function mistyped(what: string): Problem {
  return new Problem('key_mistyped', `${what} Compare it with the original and type it again.`, {
    param: 'Key',
  });
}
