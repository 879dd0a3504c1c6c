import { comparableDuration, readInstant } from './times.ts';
import type { Json, JsonObject, Statement } from './types.ts';
import { isObject } from './values.ts';

/** Data 2.3.1: what the LRS sets, and what may differ between two copies of a statement. */
const ignored = new Set(['id', 'stored', 'authority', 'version', 'timestamp']);

/**
 * Whether two statements are the same one (Data 2.3.1). Definitions of activities and displays of verbs are not part of
 * a statement, sets have no order, and defaults may be left out.
 */
export function isSameStatement(one: Statement, other: Statement): boolean {
  const times = [one.timestamp, other.timestamp].map((time) =>
    time === undefined ? null : readInstant(time),
  );
  if (times[0] !== null && times[1] !== null && times[0] !== times[1]) return false;
  return comparable(one) === comparable(other);
}

/** Two statements are the same if these texts are equal. */
export function comparable(statement: Statement): string {
  const own = Object.fromEntries(Object.entries(statement).filter(([name]) => !ignored.has(name)));
  return stable(normal(own as JsonObject, ''));
}

/** Members of these lists have no order. */
const sets = new Set(['member', 'parent', 'grouping', 'category', 'other', 'attachments']);
const caseless = new Set(['registration', 'sha2', 'mbox_sha1sum', 'language']);

function normal(value: Json, name: string): Json {
  if (name === 'extensions') return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => normal(item, name === 'member' ? 'agent' : ''));
    return sets.has(name) ? items.sort((a, b) => (stable(a) < stable(b) ? -1 : 1)) : items;
  }
  if (isObject(value)) return normalObject(value, name);
  if (typeof value !== 'string') return value;
  if (name === 'duration') return comparableDuration(value);
  if (name === 'timestamp') return readInstant(value) ?? value;
  return caseless.has(name) ? value.toLowerCase() : value;
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

/** JSON with sorted names. */
function stable(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(stable).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${stable(value[name] as Json)}`).join(',')}}`;
}
