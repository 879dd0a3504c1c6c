import { invalid } from './invalid.ts';
import type { Json, JsonObject } from './types.ts';

/** Checks the value at a path. Throws `InvalidXapi`. */
export type Check = (value: Json, path: string) => void;

/** Data 2.2: the properties of an object, each with its check. No others are allowed. */
export type Properties = { [name: string]: Check };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value as an object. Throws if it is anything else. */
export function objectAt(value: Json, path: string): JsonObject {
  return isObject(value) ? value : invalid(path, 'must be an object.');
}

/** Data 2.2: property names are case-sensitive, null is not a value, and unknown properties are rejected. */
export function checkObject(
  value: Json,
  path: string,
  properties: Properties,
  required: readonly string[] = [],
): JsonObject {
  const object = objectAt(value, path);
  for (const name of required)
    if (!Object.hasOwn(object, name)) invalid(path, `needs the property "${name}".`);
  for (const [name, inner] of Object.entries(object)) {
    const check = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const at = path === '' ? name : `${path}.${name}`;
    if (!check) invalid(at, 'is not a property that the specification defines here.');
    if (inner === null) invalid(at, 'must not be null.');
    check(inner, at);
  }
  return object;
}

export const listOf =
  (check: Check, max = Number.POSITIVE_INFINITY): Check =>
  (value, path) => {
    if (!Array.isArray(value)) invalid(path, 'must be an array.');
    if (value.length > max) invalid(path, `has more than ${max} items.`);
    for (const [n, item] of value.entries()) check(item, `${path}[${n}]`);
  };

export const text: Check = (value, path) => {
  if (typeof value !== 'string') invalid(path, 'must be a string.');
};

export const truth: Check = (value, path) => {
  if (typeof value !== 'boolean') invalid(path, 'must be true or false.');
};

export const number: Check = (value, path) => {
  if (!Number.isFinite(value)) invalid(path, 'must be a number of at most 1.8e308.');
};

export const wholeNumber: Check = (value, path) => {
  if (typeof value !== 'number' || !Number.isInteger(value)) invalid(path, 'must be an integer.');
};

/** Whether a value contains more than `max` values, including itself and all nested ones. */
export function hasMoreValues(value: Json, max: number): boolean {
  const left = [value];
  let found = 0;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (++found + left.length > max) return true;
    if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) left.push(inner);
  }
  return false;
}

export const oneOf =
  (...names: readonly string[]): Check =>
  (value, path) => {
    if (typeof value !== 'string' || !names.includes(value))
      invalid(path, `must be ${names.map((name) => `"${name}"`).join(' or ')}.`);
  };

const matching =
  (shape: RegExp, what: string): Check =>
  (value, path) => {
    if (typeof value !== 'string' || !shape.test(value)) invalid(path, `must be ${what}.`);
  };

/** RFC 4122, in upper or lower case. */
const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(value: Json | undefined): value is string {
  return typeof value === 'string' && uuidShape.test(value);
}

export const uuid: Check = matching(uuidShape, 'a UUID such as 6690e6c9-3ef0-4ed3-8b37-7f3964730bee');

/** RFC 3987: a scheme and at least one more character. Characters that must be encoded are not allowed. */
const iriShape = /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]+$/i;

export function isIri(value: Json | undefined): value is string {
  return typeof value === 'string' && iriShape.test(value);
}

export const iri: Check = matching(iriShape, 'an absolute IRI such as https://example.com/course');

/** Data 2.4.2.3: `mailto:` and an address. */
export const mailbox: Check = matching(
  /^mailto:[^\s@:]+@[^\s@]+$/,
  'a mailto IRI such as mailto:ann@example.com',
);

export const sha1: Check = matching(/^[0-9a-f]{40}$/i, 'a SHA-1 hash of 40 hexadecimal digits');

/** Data 2.4.11: a hexadecimal SHA-2 hash of 224 to 512 bits. */
export const sha2: Check = matching(
  /^(?:[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/i,
  'a SHA-2 hash in hexadecimal digits',
);

/** RFC 2046, on one line, because the value is repeated in headers. */
export const mediaType: Check = matching(
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:[\t ]*;[\t -~]*)?$/,
  'a media type such as text/plain',
);

/** RFC 5646 §2.1: language, extended language, script, region, variants, extensions, private use. */
const tagShape =
  /^(?:(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4}|[a-z]{5,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}))*(?:-[0-9a-wyz](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?|x(?:-[a-z0-9]{1,8})+|i-[a-z]{2,8}(?:-[a-z]{3,8})?|en-gb-oed|sgn-(?:be-fr|be-nl|ch-de)|art-lojban|cel-gaulish|no-(?:bok|nyn)|zh-(?:guoyu|hakka|min|min-nan|xiang))$/i;

export const languageTag: Check = (value, path) => {
  const isTag = typeof value === 'string' && value.length <= 100 && tagShape.test(value);
  // §2.2.6: each extension has its own letter.
  const singletons = isTag ? (value.split(/-x-/i)[0] ?? '').match(/-[0-9a-wyz](?=-)/gi) : null;
  const lower = singletons?.map((letter) => letter.toLowerCase()) ?? [];
  if (!isTag || new Set(lower).size < lower.length)
    invalid(path, 'must be an RFC 5646 language tag such as en-GB.');
};

/** ISO 639-1 has 184 languages. */
const maxLanguages = 200;

/** Data 4.2. */
export const languageMap: Check = (value, path) => {
  const entries = Object.entries(objectAt(value, path));
  if (entries.length > maxLanguages) invalid(path, `has more than ${maxLanguages} languages.`);
  for (const [tag, name] of entries) {
    languageTag(tag, `${path} key "${tag}"`);
    text(name, `${path}.${tag}`);
  }
};

/** Data 4.1: the names are IRIs, and the values can be anything, including null. */
export const extensions: Check = (value, path) => {
  for (const name of Object.keys(objectAt(value, path))) iri(name, `${path} key "${name}"`);
};
