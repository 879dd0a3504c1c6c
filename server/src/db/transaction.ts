import { hash } from 'node:crypto';
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
import { type Connection, type Engine, nobody, ownerOfNode, type Statement } from './engine/engine.ts';
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

const maxNames = 1_000;
const names = new Map<string, string>();

/**
 * Gives a statement its name. Limits the number of prepared statements, because statements whose text depends on their
 * input would fill the server's memory.
 */
export function prepared(text: string, values: readonly unknown[]): Statement {
  let name = names.get(text);
  if (name === undefined) {
    if (names.size >= maxNames) return { text, values };
    name = `k_${hash('sha256', text, 'base64url').slice(0, 22)}`;
    names.set(text, name);
  }
  return { name, text, values };
}

class EngineConnection implements DatabaseConnection {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { sql: text, parameters: values } = query;
    const { rows, affected } = await this.#connection.query<R>(prepared(text, values));
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

/** Returns the same context for statements of another owner. Has no effect inside a transaction. */
function ownedBy<C extends { db: Database }>(ctx: C, owner: string): C {
  const db = databaseOf(ctx.db, owner);
  return db ? { ...ctx, db } : ctx;
}

/** A tenant's context, whose statements may not name another tenant. */
export function forTenant<C extends { db: Database }>(ctx: C, tenantId: string): C & { tenantId: string } {
  return { ...ownedBy(ctx, tenantId), tenantId };
}

/** A context for work on behalf of all tenants of a worker node. */
export const forNode = <C extends { db: Database }>(ctx: C, node: string): C & { workerNode: string } => ({
  ...ownedBy(ctx, ownerOfNode(node)),
  workerNode: node,
});

/** A context whose statements may name any tenant, each on its own. */
export const forAnyone = <C extends { db: Database }>(ctx: C): C => ownedBy(ctx, nobody);

type LastWork = (ctx: { db: Database }, keys: string[]) => Promise<void>;

const lastWork = new WeakMap<Database, Map<LastWork, Set<string>>>();

/**
 * Runs `work` once for all keys just before the transaction of `ctx` commits, so that its locks are taken
 * last and held only briefly. `work` also runs if the savepoint in which it was registered was rolled back.
 */
export function beforeCommit({ db }: { db: Database }, keys: readonly string[], work: LastWork): void {
  const known = lastWork.get(db) ?? new Map<LastWork, Set<string>>();
  lastWork.set(db, known.set(work, new Set([...(known.get(work) ?? []), ...keys])));
}

/** Runs the work given to `beforeCommit` now, for the one statement that may follow it. */
export async function runLastWork(ctx: { db: Database }): Promise<void> {
  const works = lastWork.get(ctx.db) ?? [];
  lastWork.delete(ctx.db);
  for (const [work, keys] of works) await work(ctx, [...keys]);
}

/**
 * Runs `work` in one transaction. Inside another transaction it uses a savepoint, so only the writes of
 * `work` are undone if it throws.
 */
export async function transaction<C extends { db: Database }, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
): Promise<T> {
  const origin = originOf(ctx.db);
  if (!origin) return nested(ctx, work);
  const { engine, owner } = origin;
  return engine.transaction(async (connection) => {
    const own = { ...ctx, db: kyselyForConnection(connection) };
    const result = await work(own);
    await runLastWork(own);
    return result;
  }, owner);
}

export function isInTransaction({ db }: { db: Database }): boolean {
  return originOf(db) === undefined;
}

/** Runs `work` in the transaction of `ctx`, or in its own if there is none. `work` must not catch database errors. */
export function joinTransaction<C extends { db: Database }, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
): Promise<T> {
  return originOf(ctx.db) ? transaction(ctx, work) : work(ctx);
}

async function nested<C extends { db: Database }, T>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> {
  const send = (text: string) => run(ctx, text);
  await send('savepoint nested');
  try {
    const result = await work(ctx);
    await send('release savepoint nested');
    return result;
  } catch (error) {
    // If the connection was lost, the whole transaction is lost too.
    await send('rollback to savepoint nested')
      .then(() => send('release savepoint nested'))
      .catch(() => {});
    throw error;
  }
}

type Values = readonly unknown[];

/** Runs a hand-written statement on `ctx.db`, inside its transaction if there is one. The statement stays prepared. */
export async function run<R>({ db }: { db: Database }, text: string, values: Values = []): Promise<R[]> {
  return (await connectionOf(db).query<R>(prepared(text, values))).rows;
}

/** Like `run`, but the database plans the statement each time for the given values. */
export async function runUnprepared<R>({ db }: { db: Database }, text: string, values: Values): Promise<R[]> {
  return (await connectionOf(db).query<R>({ text, values })).rows;
}

/** SQL for database functions, with the same effect as `limitLockWaits`. */
export const limitLockWaitsSql = `perform set_config('lock_timeout', '300ms', true)`;

/**
 * Limits each wait for a lock to 300 ms until the transaction ends. Use it in transactions that
 * keep other tenants waiting.
 */
export async function limitLockWaits(ctx: { db: Database }): Promise<void> {
  await run(ctx, `set local lock_timeout = '300ms'`);
}

/**
 * Waits until no other process holds this lock in a transaction, for the work of a start that only one may do. A lock on
 * a table or on rows that tenants share would need all nodes of a Citus cluster.
 */
export async function takeTurn(ctx: { db: Database }): Promise<void> {
  await run(ctx, 'select pg_advisory_xact_lock(5119244006)');
}

const text = `set local citus.multi_shard_modify_mode = 'sequential'`;

/**
 * Call this in a transaction that uses rows of tenants before it changes a table that tenants share. On Citus, such a
 * change is rejected after statements that used shards in parallel. Plain PostgreSQL ignores the setting.
 */
export async function useShardsInTurn(ctx: { db: Database }): Promise<void> {
  await run(ctx, text);
}
