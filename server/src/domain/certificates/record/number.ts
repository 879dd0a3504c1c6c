import { randomBytes } from 'node:crypto';
import { alphabet } from '../../enrolment-keys/key-text.ts';

/** 16 digits of Crockford's Base32: 80 random bits, so that numbers cannot be guessed. */
const digits = 16;

/** The pattern of a number as it is shown: four groups of four. */
export const numberExample = '7K2M-Q9WD-X4TB-3HVN';

export function newNumber(): string {
  return [...randomBytes(digits)].map((byte) => alphabet[byte & 31]).join('');
}

export const showNumber = (number: string) => number.replaceAll(/.{4}(?=.)/g, '$&-');

/** Normalises a typed number: ignores case, hyphens and spaces, and reads O as 0, and I and L as 1. Null if it is none. */
export function readNumber(typed: string): string | null {
  const number = typed
    .replaceAll(/[\s\p{Pd}]/gu, '')
    .toUpperCase()
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
  return number.length === digits && [...number].every((digit) => alphabet.includes(digit)) ? number : null;
}
