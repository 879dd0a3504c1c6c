import { hash } from 'node:crypto';
import { subjectsOf } from '../../../../standards/xapi/subjects.ts';
import type { Statement } from '../../../../standards/xapi/types.ts';

/**
 * The kind of value from which a key is made. `related …` is used only for values for which the
 * statement has no plain key.
 */
export type KeyKind =
  | 'verb'
  | 'registration'
  | 'agent'
  | 'related agent'
  | 'activity'
  | 'related activity'
  | 'definition'
  | 'document';

/** Returns 128 bits of SHA-256 as a UUID: equal for equal values, and short enough for an index. */
export function searchKey(kind: KeyKind, value: string): string {
  const hex = hash('sha256', `${kind}\0${value}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** Returns all keys by which a filter can find the statement. */
export function searchKeysOf(statement: Statement): string[] {
  const subjects = subjectsOf(statement);
  const keys = (kind: KeyKind, values: readonly string[]) => values.map((value) => searchKey(kind, value));
  return [
    searchKey('verb', subjects.verb),
    ...keys('registration', subjects.registration === null ? [] : [subjects.registration]),
    ...keys('agent', subjects.agents),
    ...keys('related agent', subjects.relatedAgents),
    ...keys('activity', subjects.activities),
    ...keys('related activity', subjects.relatedActivities),
  ];
}
