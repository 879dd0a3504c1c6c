import { createHash } from 'node:crypto';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { Connection, Engine } from './engine/engine.ts';
import type { Schema } from './engine/generated.ts';

/** SQL that caps a duration. Repeated extensions could otherwise exceed the range of an interval or timestamp. */
export function cappedDuration(duration: string): string {
  return `least(${duration}::interval, interval '9999 years')`;
}

/** SQL for the end of a period, capped so that the year never has five digits. */
export function cappedEnd(start: string, duration: string): string {
  const last = `'9999-12-31T00:00:00Z'::timestamptz`;
  return `case when ${duration} is not null then least(least(${start}, ${last}) + ${cappedDuration(duration)}, ${last}) end`;
}

/** The values of a composed statement: `add` takes a value and returns its placeholder, `$n`. */
export type Parameters = { values: unknown[]; add: (value: unknown) => string };

export function parametersAfter(...given: readonly unknown[]): Parameters {
  const values = [...given];
  return { values, add: (value) => `$${values.push(value)}` };
}

const maxNames = 300;
const names = new Map<string, string>();

/**
 * Limits the number of prepared statements, because statements whose text depends on their input would fill
 * the server's memory.
 */
export function statementNameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= maxNames) return known;
  const name = `k_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
  names.set(text, name);
  return name;
}

class EngineConnection implements DatabaseConnection {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { sql: text, parameters: values } = query;
    const name = statementNameOf(text);
    const { rows, affected } = await this.#connection.query<R>(
      name === undefined ? { text, values } : { name, text, values },
    );
    return { rows, numAffectedRows: BigInt(affected) };
  }

  // biome-ignore lint/correctness/useYield: the interface requires a generator
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported; read pages instead.');
  }
}

const noTransaction = async (): Promise<void> => {
  throw new Error("Use transaction(ctx, work) instead of Kysely's own.");
};

const driverOn = (connection: Connection): Driver => ({
  init: async () => {},
  acquireConnection: async () => new EngineConnection(connection),
  releaseConnection: async () => {},
  beginTransaction: noTransaction,
  commitTransaction: noTransaction,
  rollbackTransaction: noTransaction,
  destroy: async () => {},
});

export type Database = Kysely<Schema>;

/** `others` holds the databases for other owners of statements (see `owners.ts`) on the same engine. */
type Origin = { engine: Engine; owner: string | undefined; others: Map<string, Database> };
const maxOthers = 1_000;

const connections = new WeakMap<Database, Connection>();
const origins = new WeakMap<Database, Origin>();

/**
 * All databases can share this compiler, because it compiles synchronously. Creating a compiler takes most of
 * the time needed to create a `Kysely`.
 */
const compiler = new PostgresQueryCompiler();

export function kyselyForConnection(connection: Connection): Database {
  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driverOn(connection),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => compiler,
    },
  });
  connections.set(db, connection);
  return db;
}

export function kyselyForEngine(
  engine: Engine,
  owner?: string,
  others: Origin['others'] = new Map(),
): Database {
  const db = kyselyForConnection({ query: (statement) => engine.query(statement, owner) });
  origins.set(db, { engine, owner, others });
  return db;
}

/** Returns the same database for another owner. Returns null inside a transaction. Cached, because each request needs it. */
export function databaseOf(db: Database, owner: string): Database | null {
  const origin = origins.get(db);
  if (!origin) return null;
  const { engine, others } = origin;
  const known = others.get(owner);
  if (known) return known;
  if (others.size >= maxOthers) others.clear();
  const made = kyselyForEngine(engine, owner, others);
  others.set(owner, made);
  return made;
}

/** The engine that starts transactions; undefined inside a transaction. */
export const originOf = (db: Database): Origin | undefined => origins.get(db);

/** The connection for hand-written statements, without Kysely. */
export function connectionOf(db: Database): Connection {
  const connection = connections.get(db);
  if (!connection) throw new Error('This database was not opened by kyselyForEngine or kyselyForConnection.');
  return connection;
}
