import type { Place, Position } from './model.ts';
import { formatOf } from './responses.ts';
import type { Bucket, CheckResult, Element, Model, Problem } from './types.ts';

/** Reads a value by its key, which is an element's name or one of the internal keys below. */
export type Lookup = (key: string) => string | undefined;

/** Names of elements contain no `#`, so they cannot collide with these keys. */
const countKey = (list: string) => `#count ${list}`;
const uniqueKey = (list: string, value: string) => `#unique ${list} ${value}`;

export function countOf(lookup: Lookup, list: string): number {
  return Number(lookup(countKey(list)) ?? 0);
}

/** The index of the list member with this identifier. */
export function memberWith(lookup: Lookup, list: string, id: string): number | null {
  const index = lookup(uniqueKey(list, id));
  return index ? Number(index) : null;
}

export type Found = { value: string } | { problem: Problem };

export function valueAt(model: Model, lookup: Lookup, place: Place, buckets: readonly Bucket[]): Found {
  if (place.kind === 'undefined') return { problem: 'undefined' };
  if (place.kind === 'version') return place.isRoot ? { value: model.version } : { problem: 'no version' };
  if (place.kind === 'element' && !mayRead(place.element, place.lists, buckets))
    return { problem: 'write only' };
  if (place.lists.some(({ list, index }) => index >= countOf(lookup, list)))
    return { problem: 'no such member' };
  if (place.kind === 'children')
    return place.collection ? { value: place.collection.children } : { problem: 'no children' };
  if (place.kind === 'count')
    return place.collection?.kind === 'list'
      ? { value: String(countOf(lookup, place.of)) }
      : { problem: 'no count' };
  const value = lookup(place.name);
  const isSet = value !== undefined && !(value === '' && place.element.isShared);
  const found = isSet ? value : place.element.initial;
  return found === undefined ? { problem: 'not initialised' } : { value: found };
}

export type Change =
  | { changes: readonly (readonly [key: string, value: string])[]; note: string | null }
  | { problem: Problem };

/**
 * The changes made by setting a value. Unlike content, the system may also set read-only elements and add
 * members to lists of fixed length.
 */
export function changeAt(
  lookup: Lookup,
  place: Place,
  value: string,
  by: { buckets: readonly Bucket[] } | 'system',
): Change {
  if (place.kind === 'undefined') return { problem: 'undefined' };
  if (place.kind !== 'element') return { problem: 'keyword' };
  const { element, name, lists } = place;
  if (by !== 'system' && !mayWrite(element, lists, by.buckets)) return { problem: 'read only' };
  const isFixed = by !== 'system' && element.isShared === true;
  for (const { list, index } of lists) {
    const count = countOf(lookup, list);
    if (index > count || (isFixed && index === count)) return { problem: 'out of order' };
  }
  if (element.needs?.some((needed) => lookup(indexed(needed, lists)) === undefined))
    return { problem: 'dependency' };

  const last = lists.at(-1);
  // Content may change the type after it has set responses. Therefore, stored responses are not validated
  // again.
  const isKept = by === 'system' && element.format !== undefined;
  const judged = isKept ? 'valid' : validateValue(lookup, element, last, name, value);
  if (judged === 'not unique' || judged === 'wrong type' || judged === 'out of range')
    return { problem: judged };
  const identity = last ? identityOf(lookup, element, name) : null;
  const before = lookup(name);
  if (identity && last) {
    const holder = memberWith(lookup, last.list, value);
    if (holder !== null && holder !== last.index && !isKept) return { problem: 'not unique' };
    if (identity === 'once' && before !== undefined && before !== value) return { problem: 'not unique' };
  }
  return {
    changes: [
      ...lists
        .filter(({ list, index }) => index === countOf(lookup, list))
        .map(({ list, index }) => [countKey(list), String(index + 1)] as const),
      ...(identity && last && before !== undefined ? [[uniqueKey(last.list, before), ''] as const] : []),
      ...(identity && last ? [[uniqueKey(last.list, value), String(last.index)] as const] : []),
      [name, value],
    ],
    note: typeof judged === 'object' ? judged.note : null,
  };
}

function mayRead(element: Element, lists: readonly Position[], buckets: readonly Bucket[]): boolean {
  if (element.isShared) return buckets[lists[0]?.index ?? 0]?.read !== false;
  return element.access !== 'write';
}

function mayWrite(element: Element, lists: readonly Position[], buckets: readonly Bucket[]): boolean {
  if (element.isShared) return buckets[lists[0]?.index ?? 0]?.write !== false;
  return element.access !== 'read';
}

/** Replaces each `n` in the pattern with the index from `lists`. */
function indexed(pattern: string, lists: readonly Position[]): string {
  let at = 0;
  return pattern.replace(/\.n(?=\.|$)/g, () => `.${lists[at++]?.index ?? 0}`);
}

/** The format of responses depends on the type of the interaction (RTE 4th §4.2.9.1). */
function validateValue(
  lookup: Lookup,
  element: Element,
  last: Position | undefined,
  name: string,
  value: string,
): CheckResult | 'not unique' {
  const format = element.format ? formatOf(lookup(typeOf(name))) : null;
  if (!format) return element.check(value);
  if (element.format === 'response') return format.response(value);
  return format.patterns === 'one' && last && last.index > 0 ? 'not unique' : format.pattern(value);
}

function identityOf(lookup: Lookup, element: Element, name: string): 'once' | 'unique' | null {
  if (element.format === 'pattern') return formatOf(lookup(typeOf(name)))?.distinct ? 'unique' : null;
  return element.identity ?? null;
}

/** `cmi.interactions.3.…` → `cmi.interactions.3.type` */
function typeOf(name: string): string {
  return `${name.split('.', 3).join('.')}.type`;
}
