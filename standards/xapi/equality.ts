import { comparableDuration, readInstant } from './times.ts';
import type { Json, JsonObject, Statement } from './types.ts';
import { isObject } from './values.ts';

/** Data 2.3.1: properties that the LRS sets, or that may differ between two copies of a statement. */
const ignored = new Set(['id', 'stored', 'authority', 'version', 'timestamp']);

/** A statement prepared for comparison. Preparing it takes as long as parsing it. */
export type Comparable = { at: number | null; text: string };

export function comparable(statement: Statement): Comparable {
  const { timestamp } = statement;
  const own = Object.fromEntries(Object.entries(statement).filter(([name]) => !ignored.has(name)));
  return {
    at: timestamp === undefined ? null : readInstant(timestamp),
    text: stable(normal(own as JsonObject, '')),
  };
}

/**
 * Whether two statements are the same (Data 2.3.1). Definitions of activities and displays of verbs are
 * ignored, sets have no order, and defaults may be omitted.
 */
export function isSame(one: Comparable, other: Comparable): boolean {
  const isSameTime = one.at === null || other.at === null || one.at === other.at;
  return isSameTime && one.text === other.text;
}

/** The order of members in these lists is not significant. */
const sets = new Set(['member', 'parent', 'grouping', 'category', 'other', 'attachments']);
const caseless = new Set(['registration', 'sha2', 'mbox_sha1sum', 'language']);

function normal(value: Json, name: string): Json {
  if (name === 'extensions') return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => normal(item, name === 'member' ? 'agent' : ''));
    return sets.has(name) ? sorted(items) : items;
  }
  if (isObject(value)) return normalObject(value, name);
  if (typeof value !== 'string') return value;
  if (name === 'duration') return comparableDuration(value);
  if (name === 'timestamp') return readInstant(value) ?? value;
  return caseless.has(name) ? value.toLowerCase() : value;
}

function sorted(items: readonly Json[]): Json[] {
  const texts = items.map((item) => ({ item, text: stable(item) }));
  return texts.sort((a, b) => (a.text < b.text ? -1 : 1)).map(({ item }) => item);
}

function normalObject(object: JsonObject, name: string): JsonObject {
  const isReference = object.objectType === 'StatementRef';
  const entries = Object.entries(object).flatMap(([key, inner]): [string, Json][] => {
    if (key === 'definition' || (name === 'verb' && key === 'display')) return [];
    if (key === 'objectType' && (inner === 'Agent' || inner === 'Activity')) return [];
    if (key === 'id' && isReference && typeof inner === 'string') return [[key, inner.toLowerCase()]];
    if (name === 'contextActivities' && !Array.isArray(inner)) return [[key, normal([inner], key)]];
    return [[key, normal(inner, key)]];
  });
  return Object.fromEntries(entries);
}

/** JSON with sorted property names. */
function stable(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(stable).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${stable(value[name] as Json)}`).join(',')}}`;
}
