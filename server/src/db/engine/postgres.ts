import pg from 'pg';
import {
  type Connection,
  type DatabaseLog,
  type Engine,
  type Rows,
  type Statement,
  silentLog,
} from './engine.ts';
import { isConnectionLoss, isStale, send, types, unavailable, withinTransaction } from './wire.ts';

export type PostgresOptions = {
  url: string;
  max?: number;
  /** False for poolers that do not support named prepared statements. */
  preparesStatements?: boolean;
  log?: DatabaseLog;
};

export async function openPostgres(options: PostgresOptions): Promise<Engine> {
  const { url, max = 10, preparesStatements = true, log = silentLog } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max,
    types,
    pipeline: true,
    keepAlive: true,
    application_name: 'lectern',
    connectionTimeoutMillis: 5_000,
    statement_timeout: 15_000,
    // This is shorter than the maximum wait for a connection, because a tenant's statements can wait for one
    // another's locks.
    lock_timeout: 2_000,
    idle_in_transaction_session_timeout: 30_000,
  });
  // Without these listeners, a lost connection would crash the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', (error) => log.warn({ error }, 'an idle database connection was lost'));

  let waits = 0;
  const withClient = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    if (pool.idleCount === 0 && pool.totalCount >= max) waits++;
    // These errors may be temporary: the server is starting, stopping or full.
    const client = await pool.connect().catch((error: unknown) => {
      throw unavailable(error);
    });
    let lost = false;
    try {
      return await work(client);
    } catch (error) {
      const cause = error instanceof Error && error.cause ? error.cause : error;
      lost = isConnectionLoss(cause) || isStale(cause);
      throw error;
    } finally {
      client.release(lost);
    }
  };

  const engine: Engine = {
    kind: 'postgres',
    isDistributed: () => false,
    query: (statement) => withClient((client) => resend(client, statement)),
    transaction: (work) => withClient((client) => withinTransaction(client, work)),
    script: (sql) =>
      withClient(async (client) => {
        await client.query('set statement_timeout = 0');
        await client.query(sql).finally(() => client.query('reset statement_timeout'));
      }),
    load: () => ({ inUse: pool.totalCount - pool.idleCount, waiting: pool.waitingCount, waits }),
    close: () => pool.end(),
  };
  return preparesStatements ? engine : withoutNames(engine);
}

function withoutNames(engine: Engine): Engine {
  const connectionOn = (connection: Connection): Connection => ({
    query: ({ text, values }) => connection.query({ text, values }),
  });
  return {
    ...engine,
    ...connectionOn(engine),
    transaction: (work) => engine.transaction((connection) => work(connectionOn(connection))),
  };
}

/**
 * A newer node's migration may change the columns that a prepared statement returns. The server
 * rejects the statement before running it, so it can be sent again.
 */
async function resend<R>(client: pg.ClientBase, statement: Statement): Promise<Rows<R>> {
  try {
    return await send(client, statement);
  } catch (error) {
    if (!isStale(error instanceof Error && error.cause ? error.cause : error)) throw error;
    return send(client, { text: statement.text, values: statement.values });
  }
}
