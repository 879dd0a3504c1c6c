import { createHash } from 'node:crypto';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { Connection, Engine } from './engine.ts';
import type { Schema } from './generated.ts';

const mostNames = 300;
const names = new Map<string, string>();

/**
 * Only some statements are kept prepared: those whose text depends on their input would fill the server's
 * memory.
 */
function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= mostNames) return known;
  const name = `k_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
  names.set(text, name);
  return name;
}

/** Passes a statement's own name, and the tenant it is for, through Kysely. */
const sendings = new WeakMap<CompiledQuery, Sending>();

type Sending = { name: string | undefined; tenantId: string | undefined };

export function namedQuery<R>(text: string, values: readonly unknown[], sending: Sending): CompiledQuery<R> {
  const query = CompiledQuery.raw(text, [...values]) as CompiledQuery<R>;
  sendings.set(query, sending);
  return query;
}

class EngineConnection implements DatabaseConnection {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const sending = sendings.get(query);
    const name = sending?.name ?? nameOf(query.sql);
    const { sql: text, parameters: values } = query;
    const { rows, affected } = await this.#connection.query<R>(
      name === undefined ? { text, values } : { name, text, values },
      sending?.tenantId,
    );
    return { rows, numAffectedRows: BigInt(affected) };
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported; read pages instead.');
  }
}

const noTransaction = async (): Promise<void> => {
  throw new Error("Use transaction(ctx, work) of platform/db instead of Kysely's own.");
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

const origins = new WeakMap<Database, Engine>();

export const kyselyOver = (connection: Connection): Database =>
  new Kysely<Schema>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driverOn(connection),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });

export function kyselyOn(engine: Engine): Database {
  const db = kyselyOver(engine);
  origins.set(db, engine);
  return db;
}

/** The engine on which a database begins transactions; undefined inside a transaction. */
export const engineOf = (db: Database): Engine | undefined => origins.get(db);
