import { hash } from 'node:crypto';
import { isVoiding } from '../../../../standards/xapi/statements.ts';
import { isSubStatement, subjectsOf } from '../../../../standards/xapi/subjects.ts';
import { readInstant, writeInstant } from '../../../../standards/xapi/times.ts';
import type { Agent, Edition, Statement } from '../../../../standards/xapi/types.ts';
import { parseExact } from '../../lib/exact-json.ts';
import type { StatementRow } from './store-function.ts';

/**
 * The kind of value from which a key is made. `related …` is used only for values for which the
 * statement has no plain key.
 */
type KeyKind =
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

function searchKeysOf(statement: Statement): string[] {
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

/** A statement with the properties that the LRS sets, except `stored` (Data 2.3.1). */
export type CompleteStatement = Statement & { id: string; authority: Agent; version: string };

/**
 * Sets the properties for which the LRS is responsible (Data 2.4.1, 2.4.9, 2.4.10). IEEE 9274.1.1,
 * 4.2.7: timestamps are converted to UTC.
 */
export function complete(
  statement: Statement,
  set: { id: string; authority: Agent; edition: Edition },
): CompleteStatement {
  const { stored: _, timestamp, version, ...own } = withLists(statement);
  const micros = timestamp === undefined ? null : readInstant(timestamp);
  const inUtc = set.edition === '2.0.0' && micros !== null ? writeInstant(micros) : timestamp;
  return {
    ...own,
    ...(inUtc === undefined ? {} : { timestamp: inUtc }),
    id: set.id,
    authority: set.authority,
    version: version ?? (set.edition === '2.0.0' ? '2.0.0' : '1.0.0'),
  };
}

/** Data 2.4.6.2: a single activity becomes a list of one. */
function withLists<S extends Pick<Statement, 'context' | 'object'>>(statement: S): S {
  const { context, object } = statement;
  const lists = Object.entries(context?.contextActivities ?? {}).map(([kind, one]) => [kind, [one].flat()]);
  return {
    ...statement,
    ...(context?.contextActivities
      ? { context: { ...context, contextActivities: Object.fromEntries(lists) } }
      : {}),
    ...(isSubStatement(object) ? { object: withLists(object as Pick<Statement, 'context' | 'object'>) } : {}),
  };
}

/** `bytes` includes the attachments, so that a page of statements with attachments fits into memory. */
export function rowOf(
  statement: CompleteStatement,
  attachments: readonly { statementId: string; content: Buffer }[] = [],
): StatementRow {
  const payload = JSON.stringify(statement);
  const own = attachments.filter(({ statementId }) => statementId === statement.id);
  return {
    request: 0,
    id: statement.id,
    payload,
    bytes: own.reduce((sum, { content }) => sum + content.length, Buffer.byteLength(payload)),
    keys: searchKeysOf(statement),
    refers_to: subjectsOf(statement).refersTo,
    voids: isVoiding(statement),
  };
}

export type StoredRow = { payload: string; position: number };

/**
 * Returns the JSON of a statement for clients. A statement without a timestamp gets the time at
 * which it was stored (Data 2.4.7).
 */
export function toText({ payload, position }: StoredRow): string {
  const stored = writeInstant(position);
  const timestamp = hasTimestamp(payload) ? '' : `,"timestamp":"${stored}"`;
  return `${payload.slice(0, -1)},"stored":"${stored}"${timestamp}}`;
}

/** The cast is safe: only validated statements are stored. */
export function toStatement(row: StoredRow): Statement & { id: string } {
  return parseExact(toText(row)) as Statement & { id: string };
}

/** The text may contain only the timestamp of a SubStatement, so a match in the text is checked by parsing. */
function hasTimestamp(payload: string): boolean {
  return payload.includes('"timestamp"') && Object.hasOwn(JSON.parse(payload) as object, 'timestamp');
}
