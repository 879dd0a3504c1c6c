import pg from 'pg';
import { Problem } from '../../lib/errors.ts';
import { withinYears } from '../../lib/instants.ts';
import type { Connection, Rows, Statement } from './engine.ts';

/** Both engines use the same protocol and the same client, so they return the same values. */
const parsers = new Map<number, (text: string) => unknown>([
  [20, Number], // int8
  [1016, (text) => numbers(text)], // int8[]
  [1082, String], // date
  [701, (text) => finite(text)], // float8
  [1184, (text) => instant(text)], // timestamptz
  [1185, (text) => instants(text)], // timestamptz[]
]);

// A value that JSON cannot represent would break every list that includes its row.
const finite = (text: string): number => (Number.isFinite(Number(text)) ? Number(text) : 0);
const timestamp: number = 1184;
/**
 * Whether the timestamp is in UTC, as our sessions are configured: 2026-01-31 09:00:00.123+00. The library's
 * parser takes twice as long.
 */
const isPlain = (text: string): boolean => text[10] === ' ' && text.endsWith('+00');
const instant = (text: string): Date => {
  if (isPlain(text)) return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
  return withinYears(
    text.endsWith('BC') ? Number.NEGATIVE_INFINITY : pg.types.getTypeParser(timestamp)(text),
  );
};
const arrayOfTexts: number = 1009;
const instants = (text: string): unknown =>
  (pg.types.getTypeParser(arrayOfTexts)(text) as (string | null)[]).map((one) =>
    one === null ? null : instant(one),
  );

const arrayOfIntegers: number = 1007;
const numbers = (text: string): unknown => mapNested(pg.types.getTypeParser(arrayOfIntegers)(text));
const mapNested = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(mapNested) : value === null ? null : Number(value);

export const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    parsers.get(oid) ?? pg.types.getTypeParser(oid, format),
};

export const toRows = <R>(result: pg.QueryResult | pg.QueryResult[]): Rows<R> => {
  // The caller declares the row type of its SQL, which cannot be checked here. A script of several statements
  // returns one result for each.
  const results = [result].flat();
  const [only] = results;
  if (only && results.length === 1) return { rows: only.rows as R[], affected: only.rowCount ?? 0 };
  return { rows: results.flatMap(({ rows }) => rows as R[]), affected: 0 };
};

export async function send<R>(client: pg.ClientBase, statement: Statement): Promise<Rows<R>> {
  try {
    return toRows(await client.query({ ...statement, values: [...statement.values] }));
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/** Sends BEGIN with the first statement. BEGIN fails only if the connection fails, in which case both fail. */
export async function withinTransaction<T>(
  client: pg.ClientBase,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  let open = true;
  const connection: Connection = {
    query: async (statement) => {
      if (!open)
        throw new Error('A statement was sent on a transaction that has ended. Is an await missing?');
      return send(client, statement);
    },
  };
  const begun = client.query('BEGIN');
  begun.catch(() => {});
  try {
    const result = await work(connection);
    open = false;
    await begun;
    const end = await client.query('COMMIT');
    if (end.command !== 'COMMIT')
      throw new Error('The transaction was rolled back, because one of its statements failed.');
    return result;
  } catch (error) {
    open = false;
    await client.query('ROLLBACK').catch(() => {});
    throw toDatabaseError(error);
  }
}

/** SQLSTATEs that mean the server is at fault, not the statement. */
const unavailableStates = /^(08|57P0[1235]|53300|25P03|25006)/;

/** A lost connection becomes `unavailable`; an error in the SQL is returned unchanged. */
export function toDatabaseError(error: unknown): unknown {
  if (error instanceof Problem || !(error instanceof Error)) return error;
  return isConnectionLoss(error) || isStale(error) ? unavailable(error) : error;
}

/**
 * A newer node changed the columns that a prepared statement returns. Inside a transaction, the
 * statement cannot be sent again.
 */
export function isStale(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.routine === 'RevalidateCachedQuery';
}

export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return unavailableStates.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  if ('syscall' in error) return true;
  return clientLosses.some((text) => error.message.startsWith(text));
}

/** node-postgres gives these errors no code. */
const clientLosses = [
  'Connection terminated',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'timeout exceeded when trying to connect',
];

export const unavailable = (cause: unknown): Problem => {
  const problem = new Problem(
    'unavailable',
    'The database is temporarily unavailable. Send the request again shortly.',
    { retryAfter: 2 },
  );
  problem.cause = cause;
  return problem;
};
